"""The fields of the argument classes of transformers that are true or false, and the words that their parser
takes for the two.

Source: transformers, the annotations of `training_args.py` and `training_args_seq2seq.py` of 4.31.0, 4.37.2,
4.40.0, 4.41.1, 4.46.2 and 4.51.3; `hf_argparser.py`, `string_to_bool` (the case does not matter)."""

from __future__ import annotations

_FIELDS = """
    adafactor auto_find_batch_size average_tokens_across_devices batch_eval_metrics bf16 bf16_full_eval
    dataloader_drop_last dataloader_persistent_workers dataloader_pin_memory ddp_broadcast_buffers
    ddp_find_unused_parameters disable_tqdm dispatch_batches do_eval do_predict do_train
    eval_do_concat_batches eval_on_start eval_use_gather_object fp16 fp16_full_eval full_determinism
    gradient_checkpointing greater_is_better group_by_length hub_always_push hub_private_repo
    ignore_data_skip include_inputs_for_metrics include_num_input_tokens_seen include_tokens_per_second
    jit_mode_eval load_best_model_at_end log_on_each_node logging_first_step logging_nan_inf_filter no_cuda
    overwrite_output_dir predict_with_generate prediction_loss_only push_to_hub remove_unused_columns
    restore_callback_states_from_checkpoint save_on_each_node save_only_model save_safetensors
    skip_memory_metrics sortish_sampler split_batches tf32 torch_compile tpu_metrics_debug use_cpu use_ipex
    use_legacy_prediction_loop use_liger_kernel use_mps_device
"""
SWITCH_FIELDS = frozenset(_FIELDS.split())
_WORDS = {
    **dict.fromkeys(("yes", "true", "t", "y", "1"), True),
    **dict.fromkeys(("no", "false", "f", "n", "0"), False),
}


def truth(value: object) -> bool | None:
    """What the parser makes of a word for such a field; None where it refuses the word."""
    return _WORDS.get(str(value).lower())
