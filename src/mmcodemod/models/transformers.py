"""transformers 4.30 to 5.x: the control flow of Trainer that user code is called from. Never run."""


class TrainerCallback:
    pass


class DataLoaderModel:
    pass


class Trainer:
    def __init__(self, model=None, args=None, data_collator=None, train_dataset=None, eval_dataset=None,
                 tokenizer=None, model_init=None, compute_metrics=None, callbacks=None, **kwargs):
        self.model = model
        self.args = args
        self.data_collator = data_collator
        self.train_dataset = train_dataset

    def train(self, resume_from_checkpoint=None, trial=None, ignore_keys_for_eval=None, **kwargs):
        self.create_optimizer()
        self.create_optimizer_and_scheduler(0)
        self.get_train_dataloader()
        batch = self.data_collator([self.train_dataset.__getitem__(0)])
        self.training_step(self.model, batch)
        self._save_checkpoint(self.model, trial)

    def training_step(self, model, inputs, num_items_in_batch=None):
        loss = self.compute_loss(model, inputs)
        self.accelerator.backward(loss)
        return loss

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        return self.model(**inputs)

    def get_train_dataloader(self):
        self._get_train_sampler()

    def _get_train_sampler(self, train_dataset=None):
        pass

    def create_optimizer_and_scheduler(self, num_training_steps):
        self.create_optimizer()
        self.create_scheduler(num_training_steps)

    def create_optimizer(self):
        pass

    def create_scheduler(self, num_training_steps, optimizer=None):
        pass

    def _save_checkpoint(self, model, trial, metrics=None):
        self.save_model()

    def save_model(self, output_dir=None, _internal_call=False):
        self._save(output_dir)

    def _save(self, output_dir=None, state_dict=None):
        pass

    def save_state(self):
        pass

    def evaluate(self, *args, **kwargs):
        pass

    def predict(self, *args, **kwargs):
        pass


class Seq2SeqTrainer(Trainer):
    pass
