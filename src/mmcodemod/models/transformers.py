"""transformers: the order in which Trainer calls its hooks, its callbacks, the loader and the model; what argument
parsers and Auto classes build.

Source: `Trainer._inner_training_loop`, `evaluation_loop` and `_save_checkpoint` of transformers 4.37 and 5.23
(src/transformers/trainer.py). Up to 4.x the loop calls `create_optimizer_and_scheduler`, from 5.x on its two parts.
"""

from accelerate import Accelerator
from mmcodemod_intrinsics import collective, instances
from torch.nn import Module
from torch.utils.data import DataLoader

VERSIONS = "transformers>=4.37,<6"
HOMES = ("transformers.*",)


class TrainerCallback:
    pass


class CallbackHandler:
    def __init__(self, callbacks, *args, **kwargs):
        self.callbacks = callbacks

    def add_callback(self, callback):
        self.callbacks = [callback]

    def call_event(self, event, args, state, control, **kwargs):
        for callback in self.callbacks:
            getattr(callback, event)(args, state, control)
            getattr(callback(), event)(args, state, control)
        return control


class Trainer:
    def __init__(
        self, model=None, args=None, data_collator=None, train_dataset=None, eval_dataset=None, *others,
        model_init=None, compute_loss_func=None, compute_metrics=None, callbacks=None, optimizers=(None, None),
        preprocess_logits_for_metrics=None, **kwargs
    ):
        self.args = args
        self.create_accelerator_and_postprocess()
        self.model_init = model_init
        self.model = model
        self.model = self.call_model_init()
        self.model_wrapped = self.model
        self.data_collator = data_collator
        self.train_dataset = train_dataset
        self.eval_dataset = eval_dataset
        self.compute_loss_func = compute_loss_func
        self.compute_metrics = compute_metrics
        self.preprocess_logits_for_metrics = preprocess_logits_for_metrics
        self.optimizer = optimizers[0]
        self.lr_scheduler = optimizers[1]
        self.callback_handler = CallbackHandler(callbacks)
        self.state = None
        self.control = None
        self.callback_handler.call_event("on_init_end", self.args, None, None)

    def create_accelerator_and_postprocess(self):
        self.accelerator = Accelerator()

    def call_model_init(self, trial=None):
        return self.model_init(trial)

    def add_callback(self, callback):
        self.callback_handler.add_callback(callback)

    def train(self, resume_from_checkpoint=None, trial=None, ignore_keys_for_eval=None, **kwargs):
        self._load_from_checkpoint(resume_from_checkpoint)
        self._inner_training_loop()

    def _inner_training_loop(self, *others, **kwargs):
        loader = self.get_train_dataloader()
        self.create_optimizer_and_scheduler(0)
        model = self._wrap_model(self.model)
        self._load_optimizer_and_scheduler(None)
        self.callback_handler.call_event("on_train_begin", self.args, None, None)
        self.callback_handler.call_event("on_epoch_begin", self.args, None, None)
        self._load_rng_state(None)
        self.get_batch_samples(loader, 1, None)
        self.callback_handler.call_event("on_step_begin", self.args, None, None)
        self.callback_handler.call_event("on_substep_end", self.args, None, None)
        self.training_step(model, {})
        self.floating_point_ops({})
        self.accelerator.clip_grad_norm_(None, 1.0)
        self.callback_handler.call_event("on_pre_optimizer_step", self.args, None, None)
        self.callback_handler.call_event("on_optimizer_step", self.args, None, None)
        self.callback_handler.call_event("on_step_end", self.args, None, None)
        self._maybe_log_save_evaluate(None, None, model, None)
        self.callback_handler.call_event("on_epoch_end", self.args, None, None)
        self._load_best_model()
        self.store_flos()
        self.log({})
        self.callback_handler.call_event("on_train_end", self.args, None, None)

    def get_train_dataloader(self):
        sampler = self._get_train_sampler()
        return self.accelerator.prepare(
            DataLoader(self.train_dataset, sampler=sampler, collate_fn=self.data_collator)
        )

    def get_eval_dataloader(self, eval_dataset=None):
        dataset = eval_dataset or self.eval_dataset
        sampler = self._get_eval_sampler(dataset)
        return self.accelerator.prepare(DataLoader(dataset, sampler=sampler, collate_fn=self.data_collator))

    def get_test_dataloader(self, test_dataset):
        sampler = self._get_eval_sampler(test_dataset)
        return self.accelerator.prepare(DataLoader(test_dataset, sampler=sampler, collate_fn=self.data_collator))

    def _get_train_sampler(self, train_dataset=None):
        pass

    def _get_eval_sampler(self, eval_dataset):
        pass

    def get_batch_samples(self, epoch_iterator, num_batches, device):
        pass

    def create_optimizer_and_scheduler(self, num_training_steps):
        self.create_optimizer()
        self.create_scheduler(num_training_steps)

    def create_optimizer(self, model=None):
        self.get_decay_parameter_names(self.model)

    def get_decay_parameter_names(self, model):
        pass

    def create_scheduler(self, num_training_steps, *args, **kwargs):
        pass

    def _wrap_model(self, model, training=True, dataloader=None):
        return model

    def training_step(self, model, inputs, num_items_in_batch=None):
        inputs = self._prepare_inputs(inputs)
        self.compute_loss_context_manager()
        loss = self.compute_loss(model, inputs)
        self.accelerator.backward(loss)
        return loss

    def _prepare_inputs(self, inputs):
        return self._prepare_input(inputs)

    def _prepare_input(self, data):
        return data

    def compute_loss_context_manager(self):
        self.autocast_smart_context_manager()

    def autocast_smart_context_manager(self, cache_enabled=True):
        pass

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = (model or self.model)(**inputs)
        self.compute_loss_func(outputs, None)
        return outputs

    def floating_point_ops(self, inputs):
        self.model.floating_point_ops(inputs)

    def store_flos(self):
        collective("store_flos")

    def log(self, logs, *args, **kwargs):
        self.callback_handler.call_event("on_log", self.args, None, None)

    def _maybe_log_save_evaluate(self, tr_loss, grad_norm, model, trial, *args, **kwargs):
        self.log({})
        self._evaluate(trial, None)
        self._save_checkpoint(model, trial)
        self.callback_handler.call_event("on_save", self.args, None, None)

    def _evaluate(self, trial, ignore_keys_for_eval, skip_scheduler=False):
        self.evaluate()

    def evaluate(self, eval_dataset=None, ignore_keys=None, metric_key_prefix="eval"):
        self.evaluation_loop(self.get_eval_dataloader(eval_dataset), "Evaluation")
        self.callback_handler.call_event("on_evaluate", self.args, None, None)

    def predict(self, test_dataset, ignore_keys=None, metric_key_prefix="test"):
        self.evaluation_loop(self.get_test_dataloader(test_dataset), "Prediction")
        self.callback_handler.call_event("on_predict", self.args, None, None)

    def evaluation_loop(self, dataloader, description, *args, **kwargs):
        model = self._wrap_model(self.model, training=False)
        self.prediction_step(model, {}, False)
        self.accelerator.gather_for_metrics(None)
        self.preprocess_logits_for_metrics(None, None)
        self.callback_handler.call_event("on_prediction_step", self.args, None, None)
        self.compute_metrics(None)

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        self._prepare_inputs(inputs)
        self.compute_loss_context_manager()
        return self.compute_loss(model, inputs)

    def _save_checkpoint(self, model, trial):
        self.save_model(None, _internal_call=True)
        self._save_optimizer_and_scheduler(None)
        self._save_rng_state(None)

    def save_model(self, output_dir=None, _internal_call=False):
        self.accelerator.get_state_dict(self.model)
        self._save(output_dir)

    def _save(self, output_dir=None, state_dict=None):
        pass

    def _save_optimizer_and_scheduler(self, output_dir):
        collective("save_optimizer")

    def _save_rng_state(self, output_dir):
        pass

    def _load_from_checkpoint(self, resume_from_checkpoint, model=None):
        pass

    def _load_optimizer_and_scheduler(self, checkpoint):
        pass

    def _load_rng_state(self, checkpoint):
        pass

    def _load_best_model(self):
        pass

    def save_state(self):
        pass


class Seq2SeqTrainer(Trainer):
    def evaluate(self, eval_dataset=None, ignore_keys=None, metric_key_prefix="eval", **gen_kwargs):
        return super().evaluate(eval_dataset)

    def predict(self, test_dataset, ignore_keys=None, metric_key_prefix="test", **gen_kwargs):
        return super().predict(test_dataset)

    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None, **gen_kwargs):
        self.model.generate(**inputs)
        return super().prediction_step(model, inputs, prediction_loss_only)


class HfArgumentParser:
    def __init__(self, dataclass_types=None, **kwargs):
        self.dataclass_types = dataclass_types

    def parse_args_into_dataclasses(self, *args, **kwargs):
        return instances(self.dataclass_types)

    def parse_dict(self, args, allow_extra_keys=False):
        return instances(self.dataclass_types)

    def parse_json_file(self, json_file, allow_extra_keys=False):
        return instances(self.dataclass_types)

    def parse_yaml_file(self, yaml_file, allow_extra_keys=False):
        return instances(self.dataclass_types)


class PreTrainedModel(Module):
    def post_init(self):
        self.init_weights()

    def init_weights(self):
        self._init_weights(self)

    def generate(self, *args, **kwargs):
        self.prepare_inputs_for_generation(None)
        self.forward()

    def gradient_checkpointing_enable(self, gradient_checkpointing_kwargs=None):
        self.enable_input_require_grads()


class _Auto:
    registered = []

    @classmethod
    def register(cls, config_class, model_class, exist_ok=False):
        cls.registered = [model_class]


class AutoModel(_Auto):
    pass


class AutoModelForCausalLM(_Auto):
    pass


class AutoModelForSeq2SeqLM(_Auto):
    pass


class AutoModelForVision2Seq(_Auto):
    pass


class AutoModelForImageTextToText(_Auto):
    pass


class AutoModelForSequenceClassification(_Auto):
    pass
