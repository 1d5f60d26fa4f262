from .captions import Captions
from .collate import collate
from .map_fns import question_map_fn
from .questions import PictureQuestions

__all__ = ["Captions", "PictureQuestions", "collate", "question_map_fn"]
