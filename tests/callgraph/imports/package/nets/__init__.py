from .tower import build
from .heads import Projector
