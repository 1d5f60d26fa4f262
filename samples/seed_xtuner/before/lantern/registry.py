from mmengine.registry import Registry

BUILDER = Registry("builder")
