"""Since when libraries have their names, and from when on no more. Made by tools/names_since.py:
do not edit.

Source: the wheels of the last release of each minor one
(accelerate 0.3 to 1.15, peft 0.1 to 0.21, transformers 4.0 to 5.24, trl 0.1 to 1.16).
By library, the first release with names, or the first without them, and the names, parted by blanks."""

from __future__ import annotations

SINCE: dict[str, dict[str, str]] = {
    "accelerate": {
        "0.4": (
            "DeepSpeedEngineWrapper DeepSpeedOptimizerWrapper DeepSpeedPlugin convert_outputs_to_fp32 "
            "convert_to_fp32 get_int_from_env honor_type is_apex_available is_ccl_available "
            "is_deepspeed_available "
        ),
        "0.5": (
            "TensorInformation broadcast broadcast_object_list concatenate find_batch_size "
            "get_data_structure initialize_tensors is_tensor_information is_torch_tensor recursively_apply "
            "slice_tensors "
        ),
        "0.6": (
            "InitProcessGroupKwargs debug_launcher gather_object get_pretty_name parse_choice_from_env "
            "patch_environment "
        ),
        "0.7": (
            "FullyShardedDataParallelPlugin LoggerType PrecisionType find_executable_batch_size "
            "is_comet_ml_available is_tensorboard_available is_tensorflow_available is_wandb_available "
            "reduce slow "
        ),
        "0.8": (
            "OffloadedWeightsLoader PrefixedDataset check_device_map compute_module_sizes "
            "convert_file_size_to_int cpu_offload disk_offload dispatch_model dtype_byte_size "
            "extract_submodules_state_dict find_device find_tied_parameters get_max_layer_size "
            "get_max_memory infer_auto_device_map init_empty_weights load_checkpoint_and_dispatch "
            "load_checkpoint_in_model named_module_tensors offload_state_dict set_module_tensor_to_device "
        ),
        "0.9": ("load_offloaded_weights offload_weight save_offload_index write_basic_config "),
        "0.10": (
            "DeepSpeedSchedulerWrapper DummyOptim DummyScheduler HfDeepSpeedConfig compare_versions "
            "get_launch_prefix is_torch_version is_transformers_available require_cpu require_single_gpu "
            "skip "
        ),
        "0.11": ("is_bf16_available load_offloaded_weight "),
        "0.12": ("get_balanced_memory get_ccl_version is_datasets_available require_huggingface_suite tqdm "),
        "0.13": ("is_aim_available is_rich_available require_torch_min_version "),
        "0.14": (
            "AbstractTrainStep BertTrainStep GPTTrainStep MegatronEngine MegatronLMDummyDataLoader "
            "MegatronLMDummyScheduler MegatronLMOptimizerWrapper MegatronLMPlugin "
            "MegatronLMSchedulerWrapper T5TrainStep avg_losses_across_data_parallel_group "
            "gather_across_data_parallel_groups initialize is_megatron_lm_available is_mlflow_available "
            "prepare_model prepare_optimizer prepare_scheduler "
        ),
        "0.15": (
            "BulletMenu DynamoBackend default_command_parser get_config_parser is_safetensors_available "
            "update_command_parser "
        ),
        "0.16": (
            "ProjectConfiguration init_on_device install_xla release_memory require_mps retie_parameters "
            "skip_first_batches "
        ),
        "0.17": (
            "FP8RecipeKwargs PartialState TorchDynamoPlugin convert_model cpu_offload_with_hook "
            "has_transformer_engine_layers is_fp8_available is_mps_available load_state_dict merge_dicts "
            "prepare_deepspeed_cmd_env prepare_multi_gpu_env prepare_sagemager_args_inputs "
            "prepare_simple_launcher_cmd_env prepare_tpu require_safetensors "
        ),
        "0.18": ("GradientAccumulationPlugin "),
        "0.19": (
            "IntelPyTorchExtensionPlugin get_mixed_precision_context_manager is_ipex_available is_namedtuple "
        ),
        "0.20": (
            "CustomDtype check_tied_parameters_in_config check_tied_parameters_on_same_device "
            "is_compiled_module is_xpu_available require_multi_xpu require_single_xpu require_xpu "
        ),
        "0.21": (
            "BnbQuantizationConfig RegressionModel4XPU has_4bit_bnb_layers id_tensor_storage "
            "is_4bit_bnb_available is_8bit_bnb_available is_bnb_available is_npu_available is_port_in_use "
            "listify load_and_quantize_model load_fsdp_model load_fsdp_optimizer require_bnb "
            "save_fsdp_model save_fsdp_optimizer shard_checkpoint "
        ),
        "0.22": ("AutocastKwargs assert_exception clear_environment is_cuda_available "),
        "0.23": ("calculate_maximum_sizes convert_bytes is_timm_available str_to_bool "),
        "0.24": ("check_os_kernel "),
        "0.25": (
            "CannotPadNestedTensorWarning are_libraries_initialized check_cuda_p2p_ib_support "
            "clean_state_dict_for_safetensors is_clearml_available is_dvclive_available is_pandas_available "
        ),
        "0.26": (
            "check_fp8_capability get_gpu_info is_msamp_available is_transformer_engine_available "
            "require_multi_device require_non_cpu require_single_device "
        ),
        "0.27": (
            "copy_tensor_to_devices ignorant_find_batch_size is_peft_available is_peft_model "
            "is_pippy_available pad_input_tensors prepare_pippy recursive_getattr require_non_xpu "
            "require_npu require_pippy "
        ),
        "0.28": (
            "DataLoaderConfiguration get_launch_command is_torch_xla_available path_in_accelerate_package "
            "require_non_torch_xla "
        ),
        "0.29": (
            "convert_dict_to_env_variables get_cpu_distributed_information is_mlu_available "
            "is_pynvml_available require_mlu set_numa_affinity "
        ),
        "0.30": (
            "is_lomo_available is_pytest_available is_schedulefree_available is_torchvision_available "
            "require_torchvision "
        ),
        "0.31": ("add_model_config_to_megatron_parser merge_fsdp_weights prepare_model_optimizer_scheduler "),
        "0.32": ("DDPCommunicationHookType ProfileKwargs is_import_timer_available is_triton_available "),
        "0.33": ("is_musa_available require_musa "),
        "0.34": (
            "GatheredParameters apply_fp8_autowrap capture_call_output contextual_fp8_autocast "
            "disable_fsdp_ram_efficient_loading enable_fsdp_ram_efficient_loading is_torchdata_available "
            "is_torchdata_stateful_dataloader_available require_transformer_engine "
        ),
        "1.0": ("deepspeed_required get_active_deepspeed_plugin is_bitsandbytes_multi_backend_available "),
        "1.1": (
            "align_module_device ensure_weights_retied get_grad_scaler has_offloaded_params "
            "is_weights_only_available load "
        ),
        "1.2": ("map_pytorch_optim_to_deepspeed purge_accelerate_environment "),
        "1.4": (
            "AORecipeKwargs MSAMPRecipeKwargs TERecipeKwargs TorchTensorParallelPlugin "
            "convert_model_to_fp8_ao filter_first_and_last_linear_layers has_ao_layers is_torchao_available "
            "require_cuda_or_xpu require_torchao torchao_required "
        ),
        "1.5": (
            "check_cuda_fp8_capability is_fp16_available is_habana_gaudi1 is_hpu_available "
            "is_sdaa_available require_cuda_or_hpu require_fp16 require_fp8 require_non_hpu require_sdaa "
            "run_first "
        ),
        "1.6": (
            "fsdp2_load_full_state_dict fsdp2_prepare_model fsdp2_switch_optimizer_parameters "
            "get_fsdp2_grad_scaler get_module_children_bottom_up is_matplotlib_available is_xccl_available "
            "require_multi_gpu_or_xpu "
        ),
        "1.7": (
            "compile_regions fsdp2_canonicalize_names get_torch_dist_unique_port has_compiled_regions "
            "pytest_xdist_worker_id "
        ),
        "1.8": ("compile_regions_deepspeed fsdp2_apply_ac is_swanlab_available "),
        "1.9": ("is_trackio_available model_has_dtensor "),
        "1.10": ("ParallelismConfig TorchContextParallelConfig TorchTensorParallelConfig "),
        "1.11": ("is_transformer_engine_mxfp8_available require_transformer_engine_mxfp8 "),
        "1.12": ("DeepSpeedSequenceParallelConfig get_current_device_type "),
        "1.13": ("is_neuron_available "),
        "1.14": ("compile_regions_fsdp2 is_amdsmi_available is_rocm_available "),
        "1.15": ("get_model_tp_size "),
    },
    "peft": {
        "0.2": ("is_bnb_available prepare_model_for_int8_training "),
        "0.3": (
            "AdaLoraConfig AdaLoraLayer AdaLoraModel AdaptedAttention AdaptionPromptConfig "
            "AdaptionPromptModel Embedding ModulesToSaveWrapper RankAllocator SVDLinear "
        ),
        "0.4": (
            "AutoPeftModel AutoPeftModelForCausalLM AutoPeftModelForFeatureExtraction "
            "AutoPeftModelForQuestionAnswering AutoPeftModelForSeq2SeqLM "
            "AutoPeftModelForSequenceClassification AutoPeftModelForTokenClassification Conv2d IA3Config "
            "IA3Layer IA3Model PeftModelForFeatureExtraction PeftModelForQuestionAnswering "
            "add_library_to_model_card hub_file_exists is_bnb_4bit_available "
            "prepare_model_for_kbit_training "
        ),
        "0.5": (
            "QuantLinear SVDQuantLinear get_auto_gptq_quant_linear get_quantization_config infer_device "
            "inject_adapter_in_model load_peft_weights "
        ),
        "0.6": (
            "LoHaConfig LoHaLayer LoHaModel LoKrConfig LoKrLayer LoKrModel MultitaskPromptEmbedding "
            "MultitaskPromptTuningConfig MultitaskPromptTuningInit id_tensor_storage "
        ),
        "0.7": ("LoftQConfig MixedModel OFTConfig OFTLayer OFTModel PeftMixedModel "),
        "0.8": ("PolyConfig PolyLayer PolyModel cast_mixed_precision_params "),
        "0.10": ("replace_lora_weights_loftq "),
        "0.11": (
            "BOFTConfig BOFTLayer BOFTModel LNTuningConfig LNTuningModel VeraConfig VeraLayer VeraModel "
            "get_layer_status get_model_status is_eetq_available "
        ),
        "0.12": (
            "FourierFTConfig FourierFTLayer FourierFTLinear FourierFTModel HRAConfig HRAConv2d HRALayer "
            "HRALinear HRAModel LoraRuntimeConfig XLoraConfig XLoraModel "
        ),
        "0.13": ("VBLoRAConfig VBLoRALayer VBLoRAModel create_loraplus_optimizer "),
        "0.14": (
            "BoneConfig BoneLayer BoneLinear BoneModel CPTConfig CPTEmbedding Conv3d EvaConfig "
            "get_eva_state_dict initialize_lora_eva_weights map_cache_to_layer_device_map "
        ),
        "0.15": (
            "AuxiliaryTrainingWrapper GPTQLoraLinear TrainableTokensConfig TrainableTokensLayer "
            "TrainableTokensModel TrainableTokensWrapper get_gptqmodel_quant_linear register_peft_method "
        ),
        "0.16": (
            "C3AConfig C3ALayer C3ALinear C3AModel GPTQOFTLinear RandLoraConfig RandLoraLayer RandLoraModel "
            "create_lorafa_optimizer set_additional_trainable_modules "
        ),
        "0.17": ("MissConfig MissLayer MissLinear MissModel ParamWrapper ShiraConfig ShiraLayer ShiraModel "),
        "0.18": (
            "ArrowConfig DeloraConfig DeloraLayer DeloraLinear DeloraModel OSFConfig OSFLayer OSFModel "
            "PeftWarning RoadConfig RoadLayer RoadModel WaveFTConfig WaveFTLayer WaveFTLinear WaveFTModel "
            "create_arrow_model "
        ),
        "0.19": (
            "AdamssConfig AdamssLayer AdamssModel BdLoraConfig CartridgeConfig CartridgeEncoder "
            "GraloraConfig GraloraLayer GraloraModel LilyConfig LilyLayer LilyModel LoraGAConfig "
            "PeanutConfig PeanutLayer PeanutModel PsoftConfig PsoftLayer PsoftModel PveraConfig PveraLayer "
            "PveraModel TinyLoraConfig TinyLoraLayer TinyLoraModel compose_cartridge_adapters "
            "convert_to_lora initialize_kv_prefix_from_past_key_values initialize_kv_prefix_from_text "
            "preprocess_loraga prompt_embeddings_from_past_key_values save_as_lora "
        ),
        "0.20": (
            "BeftConfig BeftLayer BeftModel DeftConfig DeftLayer DeftLinear DeftModel FrodConfig FrodLayer "
            "FrodModel GloraConfig GloraLayer GloraLinear GloraModel HiraConfig HiraLayer HiraModel "
            "MontecloraConfig SVDConv2d UniLoraConfig UniLoraLayer UniLoraModel VeloraConfig "
            "find_kappa_target_modules get_base_model_state_dict get_quantization_kwargs "
            "quantization_extra_repr resolve_quantization_backend set_base_model_state_dict "
        ),
        "0.21": (
            "DetachedShadowModel KasaConfig NoMatchingPeftModuleError PeftError ShadowCache ShadowCarrier "
            "ShadowConfig ShadowLayer ShadowModel SupertuningConfig SupertuningLayer SupertuningModel "
            "create_riemannian_optimizer "
        ),
    },
    "transformers": {
        "4.1": (
            "AutoModelForTableQuestionAnswering BartPretrainedModel BarthezTokenizer BarthezTokenizerFast "
            "CTRLForSequenceClassification EarlyStoppingCallback HammingDiversityLogitsProcessor "
            "MPNetConfig MPNetForMaskedLM MPNetForMultipleChoice MPNetForQuestionAnswering "
            "MPNetForSequenceClassification MPNetForTokenClassification MPNetLayer MPNetModel "
            "MPNetPreTrainedModel MPNetTokenizer MPNetTokenizerFast MT5EncoderModel MT5Tokenizer "
            "MT5TokenizerFast Question T5EncoderModel TableQuestionAnsweringArgumentHandler "
            "TableQuestionAnsweringPipeline TapasConfig TapasForMaskedLM TapasForQuestionAnswering "
            "TapasForSequenceClassification TapasModel TapasPreTrainedModel TapasTokenizer "
            "TransfoXLForSequenceClassification flatten_dict is_fairscale_available is_pandas_available "
            "is_scatter_available load_tf_weights_in_tapas "
        ),
        "4.2": (
            "Args BeamSampleDecoderOnlyOutput BeamSampleEncoderDecoderOutput BeamSearchDecoderOnlyOutput "
            "BeamSearchEncoderDecoderOutput BlenderbotModel BlenderbotPreTrainedModel BlenderbotSmallConfig "
            "BlenderbotSmallForConditionalGeneration BlenderbotSmallModel BlenderbotSmallPreTrainedModel "
            "BlenderbotSmallTokenizerFast GreedySearchDecoderOnlyOutput GreedySearchEncoderDecoderOutput "
            "LEDConfig LEDForConditionalGeneration LEDForQuestionAnswering LEDForSequenceClassification "
            "LEDModel LEDPreTrainedModel LEDTokenizer LEDTokenizerFast LayoutLMForSequenceClassification "
            "MBartForQuestionAnswering MBartForSequenceClassification MBartModel MBartPreTrainedModel "
            "MarianModel MarianPreTrainedModel PegasusModel PegasusPreTrainedModel SampleDecoderOnlyOutput "
            "SampleEncoderDecoderOutput SchedulerType Seq2SeqTrainer Seq2SeqTrainingArguments "
            "get_cached_models get_scheduler is_deepspeed_available is_ray_tune_available "
        ),
        "4.3": (
            "BartForCausalLM BlenderbotForCausalLM BlenderbotSmallForCausalLM ConvBertConfig "
            "ConvBertForMaskedLM ConvBertForMultipleChoice ConvBertForQuestionAnswering "
            "ConvBertForSequenceClassification ConvBertForTokenClassification ConvBertLayer ConvBertModel "
            "ConvBertPreTrainedModel ConvBertTokenizer ConvBertTokenizerFast DataCollatorForSeq2Seq "
            "DebertaForMaskedLM DebertaForQuestionAnswering DebertaForTokenClassification "
            "EncoderNoRepeatNGramLogitsProcessor MBartForCausalLM MarianForCausalLM PegasusForCausalLM "
            "Wav2Vec2Config Wav2Vec2FeatureExtractor Wav2Vec2ForCTC Wav2Vec2ForMaskedLM Wav2Vec2Model "
            "Wav2Vec2PreTrainedModel Wav2Vec2Tokenizer get_available_reporting_integrations "
            "get_reporting_integration_callbacks is_sagemaker_distributed_available is_soundfile_availble "
            "load_tf_weights_in_convbert "
        ),
        "4.4": (
            "BatchFeature DebertaV2Config DebertaV2ForMaskedLM DebertaV2ForQuestionAnswering "
            "DebertaV2ForSequenceClassification DebertaV2ForTokenClassification DebertaV2Model "
            "DebertaV2PreTrainedModel DebertaV2Tokenizer FeatureExtractionMixin "
            "ForcedBOSTokenLogitsProcessor ForcedEOSTokenLogitsProcessor IBertConfig IBertForMaskedLM "
            "IBertForMultipleChoice IBertForQuestionAnswering IBertForSequenceClassification "
            "IBertForTokenClassification IBertModel IBertPreTrainedModel IntervalStrategy M2M100Config "
            "M2M100ForConditionalGeneration M2M100Model M2M100PreTrainedModel M2M100Tokenizer "
            "MBart50Tokenizer MBart50TokenizerFast MaxLengthCriteria MaxTimeCriteria SageMakerTrainer "
            "SageMakerTrainingArguments SequenceFeatureExtractor Speech2TextConfig "
            "Speech2TextFeatureExtractor Speech2TextForConditionalGeneration Speech2TextModel "
            "Speech2TextPreTrainedModel Speech2TextProcessor Speech2TextTokenizer StoppingCriteria "
            "StoppingCriteriaList Wav2Vec2CTCTokenizer Wav2Vec2Processor check_min_version "
            "define_sagemaker_information is_offline_mode is_onnx_available is_torch_cuda_available "
            "is_torchaudio_available is_training_run_on_sagemaker requires validate_stopping_criteria "
        ),
        "4.5": (
            "AutoModelForImageClassification BigBirdConfig BigBirdForCausalLM BigBirdForMaskedLM "
            "BigBirdForMultipleChoice BigBirdForPreTraining BigBirdForQuestionAnswering "
            "BigBirdForSequenceClassification BigBirdForTokenClassification BigBirdLayer BigBirdModel "
            "BigBirdPreTrainedModel BigBirdTokenizer GPTNeoConfig GPTNeoForCausalLM GPTNeoModel "
            "GPTNeoPreTrainedModel ImageFeatureExtractionMixin InfNanRemoveLogitsProcessor ViTConfig "
            "ViTFeatureExtractor ViTForImageClassification ViTModel ViTPreTrainedModel copy_func "
            "infer_framework_from_model is_sagemaker_dp_enabled is_sagemaker_mp_enabled is_torch_tensor "
            "is_vision_available load_tf_weights_in_big_bird load_tf_weights_in_gpt_neo "
        ),
        "4.6": (
            "AutoFeatureExtractor AutomaticSpeechRecognitionPipeline BigBirdPegasusConfig "
            "BigBirdPegasusForCausalLM BigBirdPegasusForConditionalGeneration "
            "BigBirdPegasusForQuestionAnswering BigBirdPegasusForSequenceClassification BigBirdPegasusModel "
            "BigBirdPegasusPreTrainedModel BigBirdTokenizerFast CLIPConfig CLIPFeatureExtractor CLIPModel "
            "CLIPPreTrainedModel CLIPProcessor CLIPTextConfig CLIPTextModel CLIPTokenizer CLIPTokenizerFast "
            "CLIPVisionConfig CLIPVisionModel CpmTokenizer DebertaTokenizerFast DeiTConfig "
            "DeiTFeatureExtractor DeiTForImageClassification DeiTForImageClassificationWithTeacher "
            "DeiTModel DeiTPreTrainedModel ImageClassificationPipeline LukeConfig "
            "LukeForEntityClassification LukeForEntityPairClassification LukeForEntitySpanClassification "
            "LukeModel LukePreTrainedModel LukeTokenizer MegatronBertConfig MegatronBertForCausalLM "
            "MegatronBertForMaskedLM MegatronBertForMultipleChoice MegatronBertForNextSentencePrediction "
            "MegatronBertForPreTraining MegatronBertForQuestionAnswering "
            "MegatronBertForSequenceClassification MegatronBertForTokenClassification MegatronBertModel "
            "MegatronBertPreTrainedModel PushToHubMixin clip deepspeed_config deepspeed_init get_values "
            "is_deepspeed_zero3_enabled is_speech_available requires_backends "
        ),
        "4.7": (
            "AggregationStrategy ByT5Tokenizer DetrConfig DetrFeatureExtractor DetrForObjectDetection "
            "DetrForSegmentation DetrModel DetrPreTrainedModel GPTNeoForSequenceClassification "
            "HfDeepSpeedConfig HfTrainerDeepSpeedConfig HubertConfig HubertForCTC HubertModel "
            "HubertPreTrainedModel MaxNewTokensCriteria NeptuneCallback RoFormerConfig RoFormerForCausalLM "
            "RoFormerForMaskedLM RoFormerForMultipleChoice RoFormerForQuestionAnswering "
            "RoFormerForSequenceClassification RoFormerForTokenClassification RoFormerLayer RoFormerModel "
            "RoFormerPreTrainedModel RoFormerTokenizer RoFormerTokenizerFast VisualBertConfig "
            "VisualBertForMultipleChoice VisualBertForPreTraining VisualBertForQuestionAnswering "
            "VisualBertForRegionToPhraseAlignment VisualBertForVisualReasoning VisualBertLayer "
            "VisualBertModel VisualBertPreTrainedModel Wav2Vec2ForPreTraining infer_framework_load_model "
            "is_neptune_available is_scipy_available is_timm_available is_torch_fx_available "
            "is_torch_fx_proxy load_tf_weights_in_roformer set_hf_deepspeed_config "
        ),
        "4.8": ("CodeCarbonCallback is_codecarbon_available is_local_clone "),
        "4.9": (
            "AlbertOnnxConfig AutoModelForCTC BartOnnxConfig BertOnnxConfig CanineConfig "
            "CanineForMultipleChoice CanineForQuestionAnswering CanineForSequenceClassification "
            "CanineForTokenClassification CanineLayer CanineModel CaninePreTrainedModel CanineTokenizer "
            "DistilBertOnnxConfig FeaturesManager GPT2OnnxConfig GPTNeoOnnxConfig LongformerOnnxConfig "
            "MBartOnnxConfig OnnxConfig OnnxConfigWithPast ParameterFormat PatchingSpec RobertaOnnxConfig "
            "T5OnnxConfig XLMRobertaOnnxConfig compute_serialized_parameters_size get_list_of_files "
            "is_coloredlogs_available is_rjieba_available is_torch_onnx_dict_inputs_support_available "
            "load_tf_weights_in_canine validate_model_outputs "
        ),
        "4.10": (
            "BeitConfig BeitFeatureExtractor BeitForImageClassification BeitForMaskedImageModeling "
            "BeitModel BeitPreTrainedModel CpmTokenizerFast DefaultDataCollator GPT2ForTokenClassification "
            "HubertForSequenceClassification LayoutLMv2Config LayoutLMv2FeatureExtractor "
            "LayoutLMv2ForQuestionAnswering LayoutLMv2ForSequenceClassification "
            "LayoutLMv2ForTokenClassification LayoutLMv2Layer LayoutLMv2Model LayoutLMv2PreTrainedModel "
            "LayoutLMv2Processor LayoutLMv2Tokenizer LayoutLMv2TokenizerFast RemBertConfig "
            "RemBertForCausalLM RemBertForMaskedLM RemBertForMultipleChoice RemBertForQuestionAnswering "
            "RemBertForSequenceClassification RemBertForTokenClassification RemBertLayer RemBertModel "
            "RemBertPreTrainedModel RemBertTokenizer RemBertTokenizerFast SplinterConfig "
            "SplinterForQuestionAnswering SplinterLayer SplinterModel SplinterPreTrainedModel "
            "SplinterTokenizer SplinterTokenizerFast Wav2Vec2ForSequenceClassification "
            "is_detectron2_available is_pytesseract_available load_tf_weights_in_rembert "
        ),
        "4.11": (
            "AudioClassificationPipeline AutoModelForAudioClassification AutoModelForObjectDetection "
            "AutoModelForSpeechSeq2Seq DPRPreTrainedModel FNetConfig FNetForMaskedLM FNetForMultipleChoice "
            "FNetForNextSentencePrediction FNetForPreTraining FNetForQuestionAnswering "
            "FNetForSequenceClassification FNetForTokenClassification FNetLayer FNetModel "
            "FNetPreTrainedModel FNetTokenizer FNetTokenizerFast GPTJConfig GPTJForCausalLM "
            "GPTJForSequenceClassification GPTJModel GPTJPreTrainedModel LayoutLMOnnxConfig "
            "ObjectDetectionPipeline Speech2Text2Config Speech2Text2ForCausalLM Speech2Text2PreTrainedModel "
            "Speech2Text2Processor Speech2Text2Tokenizer SpeechEncoderDecoderConfig "
            "SpeechEncoderDecoderModel get_class_from_dynamic_module get_full_repo_name is_sigopt_available "
            "run_hp_search_sigopt to_numpy "
        ),
        "4.12": (
            "AutoModelForImageSegmentation BartphoTokenizer CamembertOnnxConfig ContextManagers "
            "ImageSegmentationPipeline PushToHubCallback SEWConfig SEWDConfig SEWDForCTC "
            "SEWDForSequenceClassification SEWDModel SEWDPreTrainedModel SEWForCTC "
            "SEWForSequenceClassification SEWModel SEWPreTrainedModel SegformerConfig SegformerDecodeHead "
            "SegformerFeatureExtractor SegformerForImageClassification SegformerForSemanticSegmentation "
            "SegformerLayer SegformerModel SegformerPreTrainedModel TrOCRConfig TrOCRForCausalLM "
            "TrOCRPreTrainedModel TrOCRProcessor UniSpeechConfig UniSpeechForCTC UniSpeechForPreTraining "
            "UniSpeechForSequenceClassification UniSpeechModel UniSpeechPreTrainedModel UniSpeechSatConfig "
            "UniSpeechSatForCTC UniSpeechSatForPreTraining UniSpeechSatForSequenceClassification "
            "UniSpeechSatModel UniSpeechSatPreTrainedModel VisionEncoderDecoderConfig "
            "VisionEncoderDecoderModel "
        ),
        "4.13": (
            "AutoModelForVision2Seq AutoProcessor BeitForSemanticSegmentation BlenderbotTokenizerFast "
            "GPTJForQuestionAnswering ImageGPTConfig ImageGPTFeatureExtractor "
            "ImageGPTForCausalImageModeling ImageGPTForImageClassification ImageGPTModel "
            "ImageGPTPreTrainedModel LayoutXLMProcessor LayoutXLMTokenizer LayoutXLMTokenizerFast "
            "LukeForMaskedLM MLukeTokenizer PerceiverConfig PerceiverFeatureExtractor "
            "PerceiverForImageClassificationConvProcessing PerceiverForImageClassificationFourier "
            "PerceiverForImageClassificationLearned PerceiverForMaskedLM PerceiverForMultimodalAutoencoding "
            "PerceiverForOpticalFlow PerceiverForSequenceClassification PerceiverLayer PerceiverModel "
            "PerceiverPreTrainedModel PerceiverTokenizer QDQBertConfig QDQBertForMaskedLM "
            "QDQBertForMultipleChoice QDQBertForNextSentencePrediction QDQBertForQuestionAnswering "
            "QDQBertForSequenceClassification QDQBertForTokenClassification QDQBertLMHeadModel QDQBertLayer "
            "QDQBertModel QDQBertPreTrainedModel VisionTextDualEncoderConfig VisionTextDualEncoderModel "
            "VisionTextDualEncoderProcessor Wav2Vec2ProcessorWithLM deepspeed_optim_sched get_task "
            "is_librosa_available is_pyctcdecode_available is_pytorch_quantization_available "
            "is_tensorflow_probability_available is_torch_bf16_available is_torch_tf32_available "
            "load_tf_weights_in_imagegpt load_tf_weights_in_qdqbert "
        ),
        "4.14": ("get_supported_tasks "),
        "4.15": (
            "AutoModelForAudioFrameClassification AutoModelForAudioXVector OnnxSeq2SeqConfigWithPast "
            "UniSpeechSatForAudioFrameClassification UniSpeechSatForXVector "
            "Wav2Vec2ForAudioFrameClassification Wav2Vec2ForXVector Wav2Vec2PhonemeCTCTokenizer WavLMConfig "
            "WavLMForAudioFrameClassification WavLMForCTC WavLMForSequenceClassification WavLMForXVector "
            "WavLMModel WavLMPreTrainedModel is_phonemizer_available warning_advice "
        ),
        "4.16": (
            "DummyObject ElectraForCausalLM EntryNotFoundError IBertOnnxConfig KerasMetricCallback "
            "MarianOnnxConfig NystromformerConfig NystromformerForMaskedLM NystromformerForMultipleChoice "
            "NystromformerForQuestionAnswering NystromformerForSequenceClassification "
            "NystromformerForTokenClassification NystromformerLayer NystromformerModel "
            "NystromformerPreTrainedModel RealmConfig RealmEmbedder RealmForOpenQA RealmKnowledgeAugEncoder "
            "RealmPreTrainedModel RealmReader RealmRetriever RealmScorer RealmTokenizer RealmTokenizerFast "
            "RepositoryNotFoundError RevisionNotFoundError SwinConfig SwinForImageClassification SwinModel "
            "SwinPreTrainedModel ViTMAEConfig ViTMAEForPreTraining ViTMAELayer ViTMAEModel "
            "ViTMAEPreTrainedModel ViltConfig ViltFeatureExtractor ViltForImageAndTextRetrieval "
            "ViltForImagesAndTextClassification ViltForMaskedLM ViltForQuestionAnswering ViltLayer "
            "ViltModel ViltPreTrainedModel ViltProcessor YosoConfig YosoForMaskedLM YosoForMultipleChoice "
            "YosoForQuestionAnswering YosoForSequenceClassification YosoForTokenClassification YosoLayer "
            "YosoModel YosoPreTrainedModel get_file_from_repo has_file is_ftfy_available is_spacy_available "
            "is_tf2onnx_available load_tf_weights_in_realm "
        ),
        "4.17": (
            "AutoModelForMaskedImageModeling AutoModelForSemanticSegmentation ConstrainedBeamSearchScorer "
            "Constraint ConstraintListState ConvNextConfig ConvNextFeatureExtractor "
            "ConvNextForImageClassification ConvNextModel ConvNextPreTrainedModel Data2VecAudioConfig "
            "Data2VecAudioForAudioFrameClassification Data2VecAudioForCTC "
            "Data2VecAudioForSequenceClassification Data2VecAudioForXVector Data2VecAudioModel "
            "Data2VecAudioPreTrainedModel Data2VecTextConfig Data2VecTextForCausalLM "
            "Data2VecTextForMaskedLM Data2VecTextForMultipleChoice Data2VecTextForQuestionAnswering "
            "Data2VecTextForSequenceClassification Data2VecTextForTokenClassification Data2VecTextModel "
            "Data2VecTextOnnxConfig Data2VecTextPreTrainedModel DeiTForMaskedImageModeling "
            "ElectraOnnxConfig M2M100OnnxConfig MaskFormerConfig MaskFormerFeatureExtractor "
            "MaskFormerForInstanceSegmentation MaskFormerModel MaskFormerPreTrainedModel "
            "MaskFormerSwinModel PLBartConfig PLBartForCausalLM PLBartForConditionalGeneration "
            "PLBartForSequenceClassification PLBartModel PLBartPreTrainedModel PLBartTokenizer "
            "PhrasalConstraint PoolFormerConfig PoolFormerFeatureExtractor PoolFormerForImageClassification "
            "PoolFormerModel PoolFormerPreTrainedModel ProcessorMixin SwinForMaskedImageModeling "
            "TypicalLogitsWarper ViTForMaskedImageModeling XGLMConfig XGLMForCausalLM XGLMModel "
            "XGLMPreTrainedModel XGLMTokenizer XGLMTokenizerFast XLMRobertaXLConfig XLMRobertaXLForCausalLM "
            "XLMRobertaXLForMaskedLM XLMRobertaXLForMultipleChoice XLMRobertaXLForQuestionAnswering "
            "XLMRobertaXLForSequenceClassification XLMRobertaXLForTokenClassification XLMRobertaXLModel "
            "XLMRobertaXLOnnxConfig XLMRobertaXLPreTrainedModel ZeroShotImageClassificationPipeline "
            "run_hp_search_wandb "
        ),
        "4.18": (
            "AutoModelForInstanceSegmentation BeitOnnxConfig BlenderbotOnnxConfig BlenderbotSmallOnnxConfig "
            "DPTConfig DPTFeatureExtractor DPTForDepthEstimation DPTForSemanticSegmentation DPTModel "
            "DPTPreTrainedModel DecisionTransformerConfig DecisionTransformerGPT2Model "
            "DecisionTransformerGPT2PreTrainedModel DecisionTransformerModel "
            "DecisionTransformerPreTrainedModel DisjunctiveConstraint ExponentialDecayLengthPenalty "
            "FlaubertOnnxConfig GLPNConfig GLPNFeatureExtractor GLPNForDepthEstimation GLPNLayer GLPNModel "
            "GLPNPreTrainedModel GPTJOnnxConfig ResNetConfig ResNetForImageClassification ResNetModel "
            "ResNetPreTrainedModel VanConfig VanForImageClassification VanModel VanPreTrainedModel "
            "ViTOnnxConfig find_labels "
        ),
        "4.19": (
            "BigBirdOnnxConfig BigBirdPegasusOnnxConfig ConvBertOnnxConfig Data2VecVisionConfig "
            "Data2VecVisionForImageClassification Data2VecVisionForSemanticSegmentation Data2VecVisionModel "
            "Data2VecVisionOnnxConfig Data2VecVisionPreTrainedModel DebertaV2ForMultipleChoice "
            "DebertaV2TokenizerFast DeiTOnnxConfig FlavaConfig FlavaFeatureExtractor FlavaForPreTraining "
            "FlavaImageCodebook FlavaImageCodebookConfig FlavaImageConfig FlavaImageModel FlavaModel "
            "FlavaMultimodalConfig FlavaMultimodalModel FlavaPreTrainedModel FlavaProcessor FlavaTextConfig "
            "FlavaTextModel LogitNormalization MobileBertOnnxConfig OPTConfig OPTForCausalLM OPTModel "
            "OPTPreTrainedModel OptionalDependencyNotAvailable RegNetConfig RegNetForImageClassification "
            "RegNetModel RegNetPreTrainedModel RoFormerOnnxConfig TapexTokenizer YolosConfig "
            "YolosFeatureExtractor YolosForObjectDetection YolosModel YolosPreTrainedModel "
            "enable_full_determinism is_accelerate_available is_bitsandbytes_available "
        ),
        "4.20": (
            "AutoModelForVisualQuestionAnswering BloomConfig BloomForCausalLM "
            "BloomForSequenceClassification BloomForTokenClassification BloomModel BloomPreTrainedModel "
            "BloomTokenizerFast ConvNextOnnxConfig CvtConfig CvtForImageClassification CvtModel "
            "CvtPreTrainedModel GPTNeoXConfig GPTNeoXForCausalLM GPTNeoXLayer GPTNeoXModel "
            "GPTNeoXPreTrainedModel GPTNeoXTokenizerFast LayoutLMv3Config LayoutLMv3FeatureExtractor "
            "LayoutLMv3ForQuestionAnswering LayoutLMv3ForSequenceClassification "
            "LayoutLMv3ForTokenClassification LayoutLMv3Model LayoutLMv3PreTrainedModel LayoutLMv3Processor "
            "LayoutLMv3Tokenizer LayoutLMv3TokenizerFast LevitConfig LevitFeatureExtractor "
            "LevitForImageClassification LevitForImageClassificationWithTeacher LevitModel "
            "LevitPreTrainedModel LongT5Config LongT5EncoderModel LongT5ForConditionalGeneration "
            "LongT5Model LongT5OnnxConfig LongT5PreTrainedModel MCTCTConfig MCTCTFeatureExtractor "
            "MCTCTForCTC MCTCTModel MCTCTPreTrainedModel MCTCTProcessor PerceiverOnnxConfig "
            "ResNetOnnxConfig SplinterForPreTraining SqueezeBertOnnxConfig TrajectoryTransformerConfig "
            "TrajectoryTransformerModel TrajectoryTransformerPreTrainedModel "
            "VisualQuestionAnsweringPipeline Wav2Vec2ConformerConfig "
            "Wav2Vec2ConformerForAudioFrameClassification Wav2Vec2ConformerForCTC "
            "Wav2Vec2ConformerForPreTraining Wav2Vec2ConformerForSequenceClassification "
            "Wav2Vec2ConformerForXVector Wav2Vec2ConformerModel Wav2Vec2ConformerPreTrainedModel "
            "XLMOnnxConfig is_ipex_available is_torch_bf16_cpu_available is_torch_bf16_gpu_available "
            "is_torchdynamo_available load_tf_weights_in_trajectory_transformer send_example_telemetry "
            "unset_hf_deepspeed_config "
        ),
        "4.21": (
            "BloomOnnxConfig CodeGenConfig CodeGenForCausalLM CodeGenModel CodeGenOnnxConfig "
            "CodeGenPreTrainedModel CodeGenTokenizer CodeGenTokenizerFast DebertaOnnxConfig "
            "DebertaV2OnnxConfig DetrOnnxConfig GroupViTConfig GroupViTModel GroupViTPreTrainedModel "
            "GroupViTTextConfig GroupViTTextModel GroupViTVisionConfig GroupViTVisionModel "
            "LayoutLMv3OnnxConfig LevitOnnxConfig MobileViTConfig MobileViTFeatureExtractor "
            "MobileViTForImageClassification MobileViTForSemanticSegmentation MobileViTModel "
            "MobileViTOnnxConfig MobileViTPreTrainedModel MvpConfig MvpForCausalLM "
            "MvpForConditionalGeneration MvpForQuestionAnswering MvpForSequenceClassification MvpModel "
            "MvpPreTrainedModel MvpTokenizer MvpTokenizerFast NezhaConfig NezhaForMaskedLM "
            "NezhaForMultipleChoice NezhaForNextSentencePrediction NezhaForPreTraining "
            "NezhaForQuestionAnswering NezhaForSequenceClassification NezhaForTokenClassification "
            "NezhaModel NezhaPreTrainedModel NllbTokenizer NllbTokenizerFast OPTForSequenceClassification "
            "OwlViTConfig OwlViTFeatureExtractor OwlViTForObjectDetection OwlViTModel OwlViTPreTrainedModel "
            "OwlViTProcessor OwlViTTextConfig OwlViTTextModel OwlViTVisionConfig OwlViTVisionModel "
            "PipelineRegistry ViltForTokenClassification YolosOnnxConfig clean_custom_task "
            "get_default_model_and_revision is_sacremoses_available is_tensorflow_text_available "
            "is_torch_tensorrt_fx_available "
        ),
        "4.22": (
            "AutoModelForDocumentQuestionAnswering AutoModelForVideoClassification CLIPOnnxConfig "
            "DocumentQuestionAnsweringPipeline DonutFeatureExtractor DonutProcessor DonutSwinConfig "
            "DonutSwinModel DonutSwinPreTrainedModel ErnieConfig ErnieForCausalLM ErnieForMaskedLM "
            "ErnieForMultipleChoice ErnieForNextSentencePrediction ErnieForPreTraining "
            "ErnieForQuestionAnswering ErnieForSequenceClassification ErnieForTokenClassification "
            "ErnieModel ErnieOnnxConfig ErniePreTrainedModel GroupViTOnnxConfig ImageToTextPipeline "
            "LayoutLMForQuestionAnswering LukeForMultipleChoice LukeForQuestionAnswering "
            "LukeForSequenceClassification LukeForTokenClassification MT5OnnxConfig "
            "NeptuneMissingConfiguration OwlViTOnnxConfig PegasusXConfig PegasusXForConditionalGeneration "
            "PegasusXModel PegasusXPreTrainedModel SegformerOnnxConfig Swinv2Config "
            "Swinv2ForImageClassification Swinv2ForMaskedImageModeling Swinv2Model Swinv2PreTrainedModel "
            "VideoMAEConfig VideoMAEFeatureExtractor VideoMAEForPreTraining VideoMAEForVideoClassification "
            "VideoMAEModel VideoMAEPreTrainedModel XCLIPConfig XCLIPModel XCLIPPreTrainedModel "
            "XCLIPProcessor XCLIPTextConfig XCLIPTextModel XCLIPVisionConfig XCLIPVisionModel cached_file "
            "download_url extract_commit_hash is_ccl_available move_cache replace_8bit_linear "
            "set_module_8bit_tensor_to_device try_to_load_from_cache working_or_temp_dir "
        ),
        "4.23": (
            "AutoModelForZeroShotObjectDetection BloomForQuestionAnswering CamembertPreTrainedModel "
            "ConditionalDetrConfig ConditionalDetrFeatureExtractor ConditionalDetrForObjectDetection "
            "ConditionalDetrForSegmentation ConditionalDetrModel ConditionalDetrOnnxConfig "
            "ConditionalDetrPreTrainedModel DeformableDetrConfig DeformableDetrFeatureExtractor "
            "DeformableDetrForObjectDetection DeformableDetrModel DeformableDetrPreTrainedModel EsmConfig "
            "EsmForMaskedLM EsmForSequenceClassification EsmForTokenClassification EsmModel "
            "EsmPreTrainedModel EsmTokenizer ForceTokensLogitsProcessor GPTNeoXJapaneseConfig "
            "GPTNeoXJapaneseForCausalLM GPTNeoXJapaneseLayer GPTNeoXJapaneseModel "
            "GPTNeoXJapanesePreTrainedModel GPTNeoXJapaneseTokenizer MarkupLMConfig "
            "MarkupLMFeatureExtractor MarkupLMForQuestionAnswering MarkupLMForSequenceClassification "
            "MarkupLMForTokenClassification MarkupLMModel MarkupLMPreTrainedModel MarkupLMProcessor "
            "MarkupLMTokenizer MarkupLMTokenizerFast OPTForQuestionAnswering "
            "SuppressTokensAtBeginLogitsProcessor SuppressTokensLogitsProcessor SwinOnnxConfig "
            "TimeSeriesTransformerConfig TimeSeriesTransformerForPrediction TimeSeriesTransformerModel "
            "TimeSeriesTransformerPreTrainedModel ViTMSNConfig ViTMSNForImageClassification ViTMSNModel "
            "ViTMSNPreTrainedModel VisionEncoderDecoderOnnxConfig WhisperConfig WhisperFeatureExtractor "
            "WhisperForConditionalGeneration WhisperModel WhisperPreTrainedModel WhisperProcessor "
            "WhisperTokenizer ZeroShotObjectDetectionPipeline get_keys_to_not_convert is_bs4_available "
            "is_jumanpp_available is_more_itertools_available is_ninja_available is_safetensors_available "
            "is_sudachi_available "
        ),
        "4.24": (
            "AutoModelForDepthEstimation BaseImageProcessor ContrastiveSearchDecoderOnlyOutput "
            "ContrastiveSearchEncoderDecoderOutput DepthEstimationPipeline EsmFoldPreTrainedModel "
            "EsmForProteinFolding FlaubertPreTrainedModel GLPNImageProcessor ImageGPTOnnxConfig "
            "ImageProcessorMixin LiltConfig LiltForQuestionAnswering LiltForSequenceClassification "
            "LiltForTokenClassification LiltModel LiltPreTrainedModel Protein Rigid Rotation "
            "TableTransformerConfig TableTransformerForObjectDetection TableTransformerModel "
            "TableTransformerOnnxConfig TableTransformerPreTrainedModel WhisperOnnxConfig "
            "XLMProphetNetPreTrainedModel XLMRobertaPreTrainedModel atom14_to_atom37 chunk_layer "
            "compute_predicted_aligned_error compute_tm dict_multimap expand_dims flatten_final_dims "
            "frames_and_literature_positions_to_atom14_pos is_jax_tensor is_kenlm_available is_numpy_array "
            "is_tf_tensor is_torch_device make_atom14_masks permute_final_dims rescale reshape resize "
            "squeeze tensor_size to_pdb to_pil_image torsion_angles_to_frames transpose "
        ),
        "4.25": (
            "ASTConfig ASTFeatureExtractor ASTForAudioClassification ASTModel ASTPreTrainedModel "
            "AutoBackbone AutoImageProcessor BeitImageProcessor CLIPImageProcessor CLIPSegConfig "
            "CLIPSegForImageSegmentation CLIPSegModel CLIPSegPreTrainedModel CLIPSegProcessor "
            "CLIPSegTextConfig CLIPSegTextModel CLIPSegVisionConfig CLIPSegVisionModel "
            "CLIPTextModelWithProjection CLIPVisionModelWithProjection ChineseCLIPConfig "
            "ChineseCLIPFeatureExtractor ChineseCLIPImageProcessor ChineseCLIPModel ChineseCLIPOnnxConfig "
            "ChineseCLIPPreTrainedModel ChineseCLIPProcessor ChineseCLIPTextConfig ChineseCLIPTextModel "
            "ChineseCLIPVisionConfig ChineseCLIPVisionModel ClearMLCallback ConditionalDetrImageProcessor "
            "ConvNextImageProcessor DPTImageProcessor DeformableDetrImageProcessor DeiTImageProcessor "
            "DetrImageProcessor DinatConfig DinatForImageClassification DinatModel DinatPreTrainedModel "
            "DonutImageProcessor FlavaImageProcessor GenerationConfig ImageGPTImageProcessor "
            "ImageProcessingMixin JukeboxConfig JukeboxModel JukeboxPreTrainedModel JukeboxPrior "
            "JukeboxPriorConfig JukeboxTokenizer JukeboxVQVAE JukeboxVQVAEConfig LayoutLMv2ImageProcessor "
            "LayoutLMv3ImageProcessor LevitImageProcessor MaskFormerImageProcessor MaskFormerSwinBackbone "
            "MaskFormerSwinConfig MaskFormerSwinPreTrainedModel MobileNetV1Config "
            "MobileNetV1FeatureExtractor MobileNetV1ForImageClassification MobileNetV1ImageProcessor "
            "MobileNetV1Model MobileNetV1OnnxConfig MobileNetV1PreTrainedModel MobileNetV2Config "
            "MobileNetV2FeatureExtractor MobileNetV2ForImageClassification "
            "MobileNetV2ForSemanticSegmentation MobileNetV2ImageProcessor MobileNetV2Model "
            "MobileNetV2OnnxConfig MobileNetV2PreTrainedModel MobileViTImageProcessor NatConfig "
            "NatForImageClassification NatModel NatPreTrainedModel OwlViTImageProcessor "
            "PerceiverImageProcessor PoolFormerImageProcessor ResNetBackbone RoCBertConfig "
            "RoCBertForCausalLM RoCBertForMaskedLM RoCBertForMultipleChoice RoCBertForPreTraining "
            "RoCBertForQuestionAnswering RoCBertForSequenceClassification RoCBertForTokenClassification "
            "RoCBertLayer RoCBertModel RoCBertPreTrainedModel RoCBertTokenizer SegformerImageProcessor "
            "SwitchTransformersConfig SwitchTransformersEncoderModel "
            "SwitchTransformersForConditionalGeneration SwitchTransformersModel "
            "SwitchTransformersPreTrainedModel SwitchTransformersSparseMLP SwitchTransformersTop1Router "
            "ViTImageProcessor VideoMAEImageProcessor ViltImageProcessor YolosImageProcessor "
            "can_return_loss is_clearml_available is_keras_nlp_available is_natten_available "
            "is_torchdistx_available load_tf_weights_in_mobilenet_v1 load_tf_weights_in_mobilenet_v2 "
            "load_tf_weights_in_roc_bert "
        ),
        "4.26": (
            "AltCLIPConfig AltCLIPModel AltCLIPPreTrainedModel AltCLIPProcessor AltCLIPTextConfig "
            "AltCLIPTextModel AltCLIPVisionConfig AltCLIPVisionModel AutoModelForUniversalSegmentation "
            "BackboneMixin BioGptConfig BioGptForCausalLM BioGptModel BioGptPreTrainedModel BioGptTokenizer "
            "BitBackbone BitConfig BitForImageClassification BitImageProcessor BitModel BitPreTrainedModel "
            "BlipConfig BlipForConditionalGeneration BlipForImageTextRetrieval BlipForQuestionAnswering "
            "BlipImageProcessor BlipModel BlipPreTrainedModel BlipProcessor BlipTextConfig BlipTextModel "
            "BlipVisionConfig BlipVisionModel ConvNextBackbone DinatBackbone EfficientFormerConfig "
            "EfficientFormerForImageClassification EfficientFormerForImageClassificationWithTeacher "
            "EfficientFormerImageProcessor EfficientFormerModel EfficientFormerPreTrainedModel "
            "EncoderRepetitionPenaltyLogitsProcessor EpsilonLogitsWarper EtaLogitsWarper GPTSw3Tokenizer "
            "GitConfig GitForCausalLM GitModel GitPreTrainedModel GitProcessor GitVisionConfig "
            "GitVisionModel GraphormerConfig GraphormerForGraphClassification GraphormerModel "
            "GraphormerPreTrainedModel MT5PreTrainedModel MT5Stack Mask2FormerConfig "
            "Mask2FormerForUniversalSegmentation Mask2FormerImageProcessor Mask2FormerModel "
            "Mask2FormerPreTrainedModel MinNewTokensLengthLogitsProcessor NatBackbone OneFormerConfig "
            "OneFormerForUniversalSegmentation OneFormerImageProcessor OneFormerModel "
            "OneFormerPreTrainedModel OneFormerProcessor PoolFormerOnnxConfig RemBertOnnxConfig "
            "RobertaPreLayerNormConfig RobertaPreLayerNormForCausalLM RobertaPreLayerNormForMaskedLM "
            "RobertaPreLayerNormForMultipleChoice RobertaPreLayerNormForQuestionAnswering "
            "RobertaPreLayerNormForSequenceClassification RobertaPreLayerNormForTokenClassification "
            "RobertaPreLayerNormModel RobertaPreLayerNormOnnxConfig RobertaPreLayerNormPreTrainedModel "
            "Swin2SRConfig Swin2SRForImageSuperResolution Swin2SRImageProcessor Swin2SRModel "
            "Swin2SRPreTrainedModel SwinBackbone TimesformerConfig TimesformerForVideoClassification "
            "TimesformerModel TimesformerPreTrainedModel UperNetConfig UperNetForSemanticSegmentation "
            "UperNetPreTrainedModel ViTHybridConfig ViTHybridForImageClassification ViTHybridImageProcessor "
            "ViTHybridModel ViTHybridPreTrainedModel VideoClassificationPipeline "
            "WhisperTimeStampLogitsProcessor is_cython_available is_decord_available is_optimum_available "
            "is_torch_compile_available is_torch_dtype is_torch_neuroncore_available "
        ),
        "4.27": (
            "AlignConfig AlignModel AlignPreTrainedModel AlignProcessor AlignTextConfig AlignTextModel "
            "AlignVisionConfig AlignVisionModel AutoModelForZeroShotImageClassification BitsAndBytesConfig "
            "Blip2Config Blip2ForConditionalGeneration Blip2Model Blip2PreTrainedModel Blip2Processor "
            "Blip2QFormerConfig Blip2QFormerModel Blip2VisionConfig Blip2VisionModel BridgeTowerConfig "
            "BridgeTowerForContrastiveLearning BridgeTowerForImageAndTextRetrieval BridgeTowerForMaskedLM "
            "BridgeTowerImageProcessor BridgeTowerModel BridgeTowerPreTrainedModel BridgeTowerProcessor "
            "BridgeTowerTextConfig BridgeTowerVisionConfig ClapAudioConfig ClapAudioModel "
            "ClapAudioModelWithProjection ClapConfig ClapFeatureExtractor ClapModel ClapPreTrainedModel "
            "ClapProcessor ClapTextConfig ClapTextModel ClapTextModelWithProjection ConvNextV2Backbone "
            "ConvNextV2Config ConvNextV2ForImageClassification ConvNextV2Model ConvNextV2PreTrainedModel "
            "DagsHubCallback DetaConfig DetaForObjectDetection DetaImageProcessor DetaModel "
            "DetaPreTrainedModel EfficientNetConfig EfficientNetForImageClassification "
            "EfficientNetImageProcessor EfficientNetModel EfficientNetOnnxConfig "
            "EfficientNetPreTrainedModel ErnieMConfig ErnieMForInformationExtraction "
            "ErnieMForMultipleChoice ErnieMForQuestionAnswering ErnieMForSequenceClassification "
            "ErnieMForTokenClassification ErnieMModel ErnieMPreTrainedModel ErnieMTokenizer "
            "GPTSanJapaneseConfig GPTSanJapaneseForConditionalGeneration GPTSanJapaneseModel "
            "GPTSanJapanesePreTrainedModel GPTSanJapaneseTokenizer InformerConfig InformerForPrediction "
            "InformerModel InformerPreTrainedModel MgpstrConfig MgpstrForSceneTextRecognition MgpstrModel "
            "MgpstrPreTrainedModel MgpstrProcessor MgpstrTokenizer SpeechT5Config SpeechT5FeatureExtractor "
            "SpeechT5ForSpeechToSpeech SpeechT5ForSpeechToText SpeechT5ForTextToSpeech SpeechT5HifiGan "
            "SpeechT5HifiGanConfig SpeechT5Model SpeechT5PreTrainedModel SpeechT5Processor "
            "SpeechT5Tokenizer TvltConfig TvltFeatureExtractor TvltForAudioVisualClassification "
            "TvltForPreTraining TvltImageProcessor TvltModel TvltPreTrainedModel TvltProcessor "
            "WhisperForAudioClassification WhisperTokenizerFast XmodConfig XmodForCausalLM XmodForMaskedLM "
            "XmodForMultipleChoice XmodForQuestionAnswering XmodForSequenceClassification "
            "XmodForTokenClassification XmodModel XmodOnnxConfig XmodPreTrainedModel "
            "ZeroShotAudioClassificationPipeline direct_transformers_import get_inverse_sqrt_schedule "
            "is_dagshub_available is_torchvision_available preprocess warning_once "
        ),
        "4.28": (
            "BaseStreamer BioGptForTokenClassification CpmAntConfig CpmAntForCausalLM CpmAntModel "
            "CpmAntPreTrainedModel CpmAntTokenizer GPTBigCodeConfig GPTBigCodeForCausalLM "
            "GPTBigCodeForSequenceClassification GPTBigCodeForTokenClassification GPTBigCodeModel "
            "GPTBigCodePreTrainedModel GPTNeoXForSequenceClassification LlamaConfig LlamaForCausalLM "
            "LlamaForSequenceClassification LlamaModel LlamaPreTrainedModel LlamaTokenizer "
            "LlamaTokenizerFast MegaConfig MegaForCausalLM MegaForMaskedLM MegaForMultipleChoice "
            "MegaForQuestionAnswering MegaForSequenceClassification MegaForTokenClassification MegaModel "
            "MegaOnnxConfig MegaPreTrainedModel NllbMoeConfig NllbMoeForConditionalGeneration NllbMoeModel "
            "NllbMoePreTrainedModel NllbMoeSparseMLP NllbMoeTop2Router Pix2StructConfig "
            "Pix2StructForConditionalGeneration Pix2StructImageProcessor Pix2StructPreTrainedModel "
            "Pix2StructProcessor Pix2StructTextConfig Pix2StructTextModel Pix2StructVisionConfig "
            "Pix2StructVisionModel TextIteratorStreamer TextStreamer is_jieba_available "
        ),
        "4.29": (
            "Agent AutoModelForMaskGeneration BackboneConfigMixin BioGptForSequenceClassification "
            "DocumentQuestionAnsweringTool FocalNetBackbone FocalNetConfig FocalNetForImageClassification "
            "FocalNetForMaskedImageModeling FocalNetModel FocalNetPreTrainedModel GPT2ForQuestionAnswering "
            "GPTNeoForQuestionAnswering GPTNeoForTokenClassification GPTNeoXForQuestionAnswering "
            "GPTNeoXForTokenClassification HfAgent ImageCaptioningTool ImageQuestionAnsweringTool "
            "ImageSegmentationTool MaskGenerationPipeline OpenAiAgent OpenLlamaConfig OpenLlamaForCausalLM "
            "OpenLlamaForSequenceClassification OpenLlamaModel OpenLlamaPreTrainedModel PipelineTool "
            "RemoteTool RwkvConfig RwkvForCausalLM RwkvModel RwkvPreTrainedModel SamConfig "
            "SamImageProcessor SamMaskDecoderConfig SamModel SamPreTrainedModel SamProcessor "
            "SamPromptEncoderConfig SamVisionConfig SpeechToTextTool TextClassificationTool "
            "TextQuestionAnsweringTool TextSummarizationTool TextToSpeechTool Tool TranslationTool "
            "add_model_info_to_auto_map get_reduce_on_plateau_schedule is_openai_available "
            "is_peft_available is_tf_symbolic_tensor launch_gradio_demo load_tool "
        ),
        "4.30": (
            "AutoformerConfig AutoformerForPrediction AutoformerModel AutoformerPreTrainedModel "
            "AzureOpenAiAgent FlyteCallback LocalAgent MobileViTV2Config MobileViTV2ForImageClassification "
            "MobileViTV2ForSemanticSegmentation MobileViTV2Model MobileViTV2OnnxConfig "
            "MobileViTV2PreTrainedModel SwiftFormerConfig SwiftFormerForImageClassification "
            "SwiftFormerModel SwiftFormerOnnxConfig SwiftFormerPreTrainedModel TimmBackbone "
            "TimmBackboneConfig deepspeed_load_checkpoint get_torch_version infer_framework "
            "is_flyte_deck_standard_available is_flytekit_available replace_with_bnb_linear "
            "set_module_quantized_tensor_to_device "
        ),
        "4.31": (
            "AlternatingCodebooksLogitsProcessor AutoModelForTextEncoding BarkCausalModel BarkCoarseConfig "
            "BarkCoarseModel BarkConfig BarkFineConfig BarkFineModel BarkModel BarkPreTrainedModel "
            "BarkProcessor BarkSemanticConfig BarkSemanticModel ClassifierFreeGuidanceLogitsProcessor "
            "EncodecConfig EncodecFeatureExtractor EncodecModel EncodecPreTrainedModel FalconConfig "
            "FalconForCausalLM FalconForQuestionAnswering FalconForSequenceClassification "
            "FalconForTokenClassification FalconModel FalconPreTrainedModel InstructBlipConfig "
            "InstructBlipForConditionalGeneration InstructBlipPreTrainedModel InstructBlipProcessor "
            "InstructBlipQFormerConfig InstructBlipQFormerModel InstructBlipVisionConfig "
            "InstructBlipVisionModel MT5ForQuestionAnswering MraConfig MraForMaskedLM MraForMultipleChoice "
            "MraForQuestionAnswering MraForSequenceClassification MraForTokenClassification MraLayer "
            "MraModel MraPreTrainedModel MusicgenConfig MusicgenDecoderConfig MusicgenForCausalLM "
            "MusicgenForConditionalGeneration MusicgenModel MusicgenPreTrainedModel MusicgenProcessor "
            "SequenceBiasLogitsProcessor T5ForQuestionAnswering UMT5Config UMT5EncoderModel "
            "UMT5ForConditionalGeneration UMT5ForQuestionAnswering UMT5Model UMT5OnnxConfig "
            "UMT5PreTrainedModel VivitConfig VivitForVideoClassification VivitImageProcessor VivitModel "
            "VivitPreTrainedModel is_pytest_available is_seqio_available is_torch_mps_available load_model "
        ),
        "4.32": (
            "AutoModelForTextToSpectrogram AutoModelForTextToWaveform BartPreTrainedModel Dinov2Config "
            "Dinov2ForImageClassification Dinov2Model Dinov2OnnxConfig Dinov2PreTrainedModel GPTQConfig "
            "GenerationMode IdeficsConfig IdeficsForVisionText2Text IdeficsImageProcessor IdeficsModel "
            "IdeficsPreTrainedModel IdeficsProcessor MT5ForSequenceClassification MptConfig MptForCausalLM "
            "MptForQuestionAnswering MptForSequenceClassification MptForTokenClassification MptModel "
            "MptPreTrainedModel PushInProgress PvtConfig PvtForImageClassification PvtImageProcessor "
            "PvtModel PvtOnnxConfig PvtPreTrainedModel T5ForSequenceClassification TextToAudioPipeline "
            "UMT5ForSequenceClassification UnbatchedClassifierFreeGuidanceLogitsProcessor "
            "is_auto_gptq_available is_fsdp_enabled is_torch_npu_available "
        ),
        "4.33": (
            "CodeLlamaTokenizer CodeLlamaTokenizerFast Dinov2Backbone PeftAdapterMixin Pop2PianoConfig "
            "Pop2PianoFeatureExtractor Pop2PianoForConditionalGeneration Pop2PianoPreTrainedModel "
            "Pop2PianoProcessor Pop2PianoTokenizer VitDetBackbone VitDetConfig VitDetModel "
            "VitDetPreTrainedModel VitsConfig VitsModel VitsPreTrainedModel VitsTokenizer "
            "check_peft_version find_adapter_config_file is_essentia_available is_pretty_midi_available "
        ),
        "4.34": (
            "AutoModelForImageToImage BrosConfig BrosForTokenClassification BrosModel BrosPreTrainedModel "
            "BrosProcessor BrosSpadeEEForTokenClassification BrosSpadeELForTokenClassification "
            "ImageToImagePipeline MistralConfig MistralForCausalLM MistralForSequenceClassification "
            "MistralModel MistralPreTrainedModel NougatImageProcessor NougatProcessor NougatTokenizerFast "
            "PersimmonConfig PersimmonForCausalLM PersimmonForSequenceClassification PersimmonModel "
            "PersimmonPreTrainedModel VitMatteConfig VitMatteForImageMatting VitMatteImageProcessor "
            "VitMattePreTrainedModel is_cv2_available is_flash_attn_available is_fsdp_available "
            "is_jinja_available is_levenshtein_available is_nltk_available is_torch_xpu_available "
            "is_torchdynamo_compiling "
        ),
        "4.35": (
            "AwqConfig FuyuConfig FuyuForCausalLM FuyuImageProcessor FuyuPreTrainedModel FuyuProcessor "
            "Kosmos2Config Kosmos2ForConditionalGeneration Kosmos2Model Kosmos2PreTrainedModel "
            "Kosmos2Processor Owlv2Config Owlv2ForObjectDetection Owlv2ImageProcessor Owlv2Model "
            "Owlv2PreTrainedModel Owlv2Processor Owlv2TextConfig Owlv2TextModel Owlv2VisionConfig "
            "Owlv2VisionModel SeamlessM4TCodeHifiGan SeamlessM4TConfig SeamlessM4TFeatureExtractor "
            "SeamlessM4TForSpeechToSpeech SeamlessM4TForSpeechToText SeamlessM4TForTextToSpeech "
            "SeamlessM4TForTextToText SeamlessM4THifiGan SeamlessM4TModel SeamlessM4TPreTrainedModel "
            "SeamlessM4TProcessor SeamlessM4TTextToUnitForConditionalGeneration SeamlessM4TTextToUnitModel "
            "SeamlessM4TTokenizer SeamlessM4TTokenizerFast WhisperForCausalLM is_auto_awq_available "
            "is_flash_attn_2_available is_torch_bf16_available_on_device is_torch_fp16_available_on_device "
            "neftune_post_forward_hook replace_with_awq_linear "
        ),
        "4.36": (
            "BeitBackbone Cache ClvpConfig ClvpDecoder ClvpDecoderConfig ClvpEncoder ClvpEncoderConfig "
            "ClvpFeatureExtractor ClvpForCausalLM ClvpModel ClvpModelForConditionalGeneration "
            "ClvpPreTrainedModel ClvpProcessor ClvpTokenizer DVCLiveCallback DynamicCache LlavaConfig "
            "LlavaForConditionalGeneration LlavaPreTrainedModel LlavaProcessor MixtralConfig "
            "MixtralForCausalLM MixtralForSequenceClassification MixtralModel MixtralPreTrainedModel "
            "PatchTSMixerConfig PatchTSMixerForPrediction PatchTSMixerForPretraining "
            "PatchTSMixerForRegression PatchTSMixerForTimeSeriesClassification PatchTSMixerModel "
            "PatchTSMixerPreTrainedModel PatchTSTConfig PatchTSTForClassification PatchTSTForPrediction "
            "PatchTSTForPretraining PatchTSTForRegression PatchTSTModel PatchTSTPreTrainedModel PhiConfig "
            "PhiForCausalLM PhiForSequenceClassification PhiForTokenClassification PhiModel "
            "PhiPreTrainedModel SeamlessM4Tv2Config SeamlessM4Tv2ForSpeechToSpeech "
            "SeamlessM4Tv2ForSpeechToText SeamlessM4Tv2ForTextToSpeech SeamlessM4Tv2ForTextToText "
            "SeamlessM4Tv2Model SeamlessM4Tv2PreTrainedModel SinkCache TvpConfig TvpForVideoGrounding "
            "TvpImageProcessor TvpModel TvpPreTrainedModel TvpProcessor UnivNetConfig "
            "UnivNetFeatureExtractor UnivNetModel fuse_awq_modules is_dvclive_available "
            "is_flash_attn_greater_or_equal_2_10 is_torch_sdpa_available "
        ),
        "4.37": (
            "AssistedCandidateGenerator CandidateGenerator FastSpeech2ConformerConfig "
            "FastSpeech2ConformerHifiGan FastSpeech2ConformerHifiGanConfig FastSpeech2ConformerModel "
            "FastSpeech2ConformerPreTrainedModel FastSpeech2ConformerTokenizer "
            "FastSpeech2ConformerWithHifiGan FastSpeech2ConformerWithHifiGanConfig "
            "GenerateBeamDecoderOnlyOutput GenerateBeamEncoderDecoderOutput GenerateDecoderOnlyOutput "
            "GenerateEncoderDecoderOutput PromptLookupCandidateGenerator Qwen2Config Qwen2ForCausalLM "
            "Qwen2ForSequenceClassification Qwen2Model Qwen2PreTrainedModel Qwen2Tokenizer "
            "Qwen2TokenizerFast SiglipConfig SiglipImageProcessor SiglipModel SiglipPreTrainedModel "
            "SiglipProcessor SiglipTextConfig SiglipTextModel SiglipTokenizer SiglipVisionConfig "
            "SiglipVisionModel Swinv2Backbone VipLlavaConfig VipLlavaForConditionalGeneration "
            "VipLlavaPreTrainedModel Wav2Vec2BertConfig Wav2Vec2BertForAudioFrameClassification "
            "Wav2Vec2BertForCTC Wav2Vec2BertForSequenceClassification Wav2Vec2BertForXVector "
            "Wav2Vec2BertModel Wav2Vec2BertPreTrainedModel Wav2Vec2BertProcessor is_g2p_en_available "
        ),
        "4.38": (
            "AqlmConfig AutoHfQuantizer AutoQuantizationConfig CLIPForImageClassification "
            "DepthAnythingConfig DepthAnythingForDepthEstimation DepthAnythingPreTrainedModel GemmaConfig "
            "GemmaForCausalLM GemmaForSequenceClassification GemmaModel GemmaPreTrainedModel GemmaTokenizer "
            "GemmaTokenizerFast HfQuantizer ImageFeatureExtractionPipeline LlamaForQuestionAnswering "
            "MT5ForTokenClassification QuantizedLinear SiglipForImageClassification StableLmConfig "
            "StableLmForCausalLM StableLmForSequenceClassification StableLmModel StableLmPreTrainedModel "
            "StaticCache T5ForTokenClassification UMT5ForTokenClassification get_module_from_name "
            "is_aqlm_available is_sudachi_projection_available replace_with_aqlm_linear "
        ),
        "4.39": (
            "AutoModelForKeypointDetection CohereConfig CohereForCausalLM CohereModel CoherePreTrainedModel "
            "CohereTokenizerFast LlavaNextConfig LlavaNextForConditionalGeneration LlavaNextImageProcessor "
            "LlavaNextPreTrainedModel LlavaNextProcessor MambaCache MambaConfig MambaForCausalLM MambaModel "
            "MambaPreTrainedModel MusicgenMelodyConfig MusicgenMelodyDecoderConfig "
            "MusicgenMelodyFeatureExtractor MusicgenMelodyForCausalLM "
            "MusicgenMelodyForConditionalGeneration MusicgenMelodyModel MusicgenMelodyPreTrainedModel "
            "MusicgenMelodyProcessor PvtV2Backbone PvtV2Config PvtV2ForImageClassification PvtV2Model "
            "PvtV2PreTrainedModel QuantoConfig SegGptConfig SegGptForImageSegmentation SegGptImageProcessor "
            "SegGptModel SegGptPreTrainedModel Starcoder2Config Starcoder2ForCausalLM "
            "Starcoder2ForSequenceClassification Starcoder2Model Starcoder2PreTrainedModel SuperPointConfig "
            "SuperPointForKeypointDetection SuperPointImageProcessor SuperPointPreTrainedModel UdopConfig "
            "UdopEncoderModel UdopForConditionalGeneration UdopModel UdopPreTrainedModel UdopProcessor "
            "UdopTokenizer UdopTokenizerFast is_causal_conv1d_available is_galore_torch_available "
            "is_mlx_available is_quanto_available is_torch_xla_available mamba_inner_fn "
            "post_init_awq_exllama_modules replace_with_quanto_layers "
        ),
        "4.40": (
            "DbrxConfig DbrxForCausalLM DbrxModel DbrxPreTrainedModel EosTokenCriteria GroundingDinoConfig "
            "GroundingDinoForObjectDetection GroundingDinoImageProcessor GroundingDinoModel "
            "GroundingDinoPreTrainedModel GroundingDinoProcessor Idefics2Config "
            "Idefics2ForConditionalGeneration Idefics2ImageProcessor Idefics2Model Idefics2PreTrainedModel "
            "Idefics2Processor JambaConfig JambaForCausalLM JambaForSequenceClassification JambaModel "
            "JambaPreTrainedModel OlmoConfig OlmoForCausalLM OlmoModel OlmoPreTrainedModel Qwen2MoeConfig "
            "Qwen2MoeForCausalLM Qwen2MoeForSequenceClassification Qwen2MoeModel Qwen2MoePreTrainedModel "
            "RecurrentGemmaConfig RecurrentGemmaForCausalLM RecurrentGemmaModel "
            "RecurrentGemmaPreTrainedModel get_cosine_with_min_lr_schedule_with_warmup is_av_available "
            "is_torch_mlu_available "
        ),
        "4.41": (
            "CodeAgent EetqConfig FinalAnswerTool HfEngine HqqConfig JetMoeConfig JetMoeForCausalLM "
            "JetMoeForSequenceClassification JetMoeModel JetMoePreTrainedModel MinPLogitsWarper "
            "PaliGemmaConfig PaliGemmaForConditionalGeneration PaliGemmaPreTrainedModel PaliGemmaProcessor "
            "Phi3Config Phi3ForCausalLM Phi3ForSequenceClassification Phi3ForTokenClassification Phi3Model "
            "Phi3PreTrainedModel PythonInterpreterTool ReactAgent ReactCodeAgent ReactJsonAgent "
            "StopStringCriteria ToolCollection Toolbox VideoLlavaConfig VideoLlavaForConditionalGeneration "
            "VideoLlavaImageProcessor VideoLlavaPreTrainedModel VideoLlavaProcessor WatermarkDetector "
            "WatermarkDetectorOutput WatermarkLogitsProcessor WatermarkingConfig convert_gguf_tokenizer "
            "dequantize_and_replace get_wsd_schedule is_eetq_available is_gguf_available is_hqq_available "
            "load_dequant_gguf_tensor prepare_for_hqq_linear replace_quantization_scales "
            "replace_with_eetq_linear "
        ),
        "4.42": (
            "AudioKwargs BaseImageProcessorFast CacheConfig DocstringParsingException Gemma2Config "
            "Gemma2ForCausalLM Gemma2ForSequenceClassification Gemma2ForTokenClassification Gemma2Model "
            "Gemma2PreTrainedModel GemmaForTokenClassification HQQQuantizedCache HybridCache ImagesKwargs "
            "InstructBlipVideoConfig InstructBlipVideoForConditionalGeneration "
            "InstructBlipVideoImageProcessor InstructBlipVideoPreTrainedModel InstructBlipVideoProcessor "
            "InstructBlipVideoQFormerConfig InstructBlipVideoQFormerModel InstructBlipVideoVisionConfig "
            "InstructBlipVideoVisionModel LlamaForTokenClassification LlavaNextVideoConfig "
            "LlavaNextVideoForConditionalGeneration LlavaNextVideoImageProcessor "
            "LlavaNextVideoPreTrainedModel LlavaNextVideoProcessor MistralForTokenClassification "
            "MixtralForTokenClassification PersimmonForTokenClassification ProcessingKwargs QuantizedCache "
            "QuantizedCacheConfig QuantoQuantizedCache Qwen2ForTokenClassification "
            "Qwen2MoeForTokenClassification RTDetrConfig RTDetrForObjectDetection RTDetrImageProcessor "
            "RTDetrModel RTDetrPreTrainedModel RTDetrResNetBackbone RTDetrResNetConfig "
            "RTDetrResNetPreTrainedModel SlidingWindowCache StableLmForTokenClassification "
            "Starcoder2ForTokenClassification TextKwargs TypeHintParsingException ViTImageProcessorFast "
            "VideosKwargs add_model_info_to_custom_pipelines filter_out_non_signature_kwargs "
            "get_json_schema is_flash_attn_greater_or_equal is_lomo_available is_torch_deterministic "
            "torch_float torch_int "
        ),
        "4.43": (
            "ChameleonConfig ChameleonForConditionalGeneration ChameleonImageProcessor ChameleonModel "
            "ChameleonPreTrainedModel ChameleonProcessor ChameleonVQVAE ChameleonVQVAEConfig "
            "EncoderDecoderCache FbgemmFp8Config FbgemmFp8Linear HieraBackbone HieraConfig "
            "HieraForImageClassification HieraForPreTraining HieraModel HieraPreTrainedModel ZoeDepthConfig "
            "ZoeDepthForDepthEstimation ZoeDepthImageProcessor ZoeDepthPreTrainedModel "
            "is_fbgemm_gpu_available replace_with_fbgemm_fp8_linear "
        ),
        "4.44": (
            "DataCollatorWithFlattening Mamba2Config Mamba2ForCausalLM Mamba2Model Mamba2PreTrainedModel "
            "NemotronConfig NemotronForCausalLM NemotronForQuestionAnswering "
            "NemotronForSequenceClassification NemotronForTokenClassification NemotronModel "
            "NemotronPreTrainedModel OffloadedCache is_mamba_2_ssm_available stream_to_gradio "
        ),
        "4.45": (
            "Blip2ForImageTextRetrieval Blip2TextModelWithProjection Blip2VisionModelWithProjection "
            "CompressedTensorsConfig ConfidenceCriteria DacConfig DacFeatureExtractor DacModel "
            "DacPreTrainedModel DuckDuckGoSearchTool FalconMambaConfig FalconMambaForCausalLM "
            "FalconMambaModel FalconMambaPreTrainedModel GraniteConfig GraniteForCausalLM GraniteModel "
            "GraniteMoeConfig GraniteMoeForCausalLM GraniteMoeModel GraniteMoePreTrainedModel "
            "GranitePreTrainedModel HfApiEngine LlavaOnevisionConfig LlavaOnevisionForConditionalGeneration "
            "LlavaOnevisionImageProcessor LlavaOnevisionPreTrainedModel LlavaOnevisionProcessor "
            "LlavaOnevisionVideoProcessor ManagedAgent MimiConfig MimiModel MimiPreTrainedModel "
            "MistralConverter MllamaConfig MllamaForCausalLM MllamaForConditionalGeneration "
            "MllamaImageProcessor MllamaPreTrainedModel MllamaProcessor MllamaTextModel MllamaVisionModel "
            "OffloadedStaticCache OlmoeConfig OlmoeForCausalLM OlmoeModel OlmoePreTrainedModel "
            "OmDetTurboConfig OmDetTurboForObjectDetection OmDetTurboPreTrainedModel OmDetTurboProcessor "
            "PixtralImageProcessor PixtralPreTrainedModel PixtralProcessor PixtralVisionConfig "
            "PixtralVisionModel Qwen2AudioConfig Qwen2AudioEncoder Qwen2AudioEncoderConfig "
            "Qwen2AudioForConditionalGeneration Qwen2AudioPreTrainedModel Qwen2AudioProcessor Qwen2VLConfig "
            "Qwen2VLForConditionalGeneration Qwen2VLImageProcessor Qwen2VLModel Qwen2VLPreTrainedModel "
            "Qwen2VLProcessor TorchAoConfig TorchExportableModuleWithStaticCache TransformersEngine "
            "VisitWebpageTool convert_and_export_with_cache define_import_structure dequantize "
            "get_available_devices is_bitsandbytes_multi_backend_available is_compressed_tensors_available "
            "is_grokadamw_available is_liger_kernel_available is_schedulefree_available "
            "is_tiktoken_available is_torch_musa_available is_torchao_available is_uroman_available tool "
            "validate_bnb_backend_availability "
        ),
        "4.46": (
            "AutoModelForImageTextToText BaseWatermarkingConfig BayesianDetectorConfig "
            "BayesianDetectorModel BitLinear BitNetConfig DetrImageProcessorFast GlmConfig GlmForCausalLM "
            "GlmForSequenceClassification GlmForTokenClassification GlmModel GlmPreTrainedModel "
            "Idefics3Config Idefics3ForConditionalGeneration Idefics3ImageProcessor Idefics3Model "
            "Idefics3PreTrainedModel Idefics3Processor Idefics3VisionConfig Idefics3VisionTransformer "
            "MistralForQuestionAnswering MixtralForQuestionAnswering MoshiConfig MoshiDepthConfig "
            "MoshiForCausalLM MoshiForConditionalGeneration MoshiModel MoshiPreTrainedModel MyT5Tokenizer "
            "PhimoeConfig PhimoeForCausalLM PhimoeForSequenceClassification PhimoeModel "
            "PhimoePreTrainedModel Qwen2ForQuestionAnswering Qwen2MoeForQuestionAnswering "
            "SynthIDTextWatermarkDetector SynthIDTextWatermarkLogitsProcessor SynthIDTextWatermarkingConfig "
            "ZambaConfig ZambaForCausalLM ZambaForSequenceClassification ZambaModel ZambaPreTrainedModel "
            "is_fsdp_managed_module is_optimum_quanto_available is_torchvision_v2_available pack_weights "
            "post_init_awq_ipex_modules replace_with_bitnet_linear unpack_weights "
        ),
        "4.47": (
            "CompileConfig DeformableDetrImageProcessorFast EarlyExitCandidateGenerator IJepaConfig "
            "IJepaForImageClassification IJepaModel IJepaPreTrainedModel ImageTextToTextPipeline LossKwargs "
            "Olmo2Config Olmo2ForCausalLM Olmo2Model Olmo2PreTrainedModel PixtralImageProcessorFast "
            "RTDetrImageProcessorFast is_torch_flex_attn_available is_torch_greater_or_equal "
            "translate_to_torch_parallel_style "
        ),
        "4.48": (
            "AriaConfig AriaForConditionalGeneration AriaImageProcessor AriaPreTrainedModel AriaProcessor "
            "AriaTextConfig AriaTextForCausalLM AriaTextModel AriaTextPreTrainedModel "
            "AsyncTextIteratorStreamer BambaConfig BambaForCausalLM BambaModel BambaPreTrainedModel "
            "Cohere2Config Cohere2ForCausalLM Cohere2Model Cohere2PreTrainedModel ColPaliConfig "
            "ColPaliForRetrieval ColPaliPreTrainedModel ColPaliProcessor DiffLlamaConfig "
            "DiffLlamaForCausalLM DiffLlamaForQuestionAnswering DiffLlamaForSequenceClassification "
            "DiffLlamaForTokenClassification DiffLlamaModel DiffLlamaPreTrainedModel "
            "Dinov2WithRegistersBackbone Dinov2WithRegistersConfig "
            "Dinov2WithRegistersForImageClassification Dinov2WithRegistersModel "
            "Dinov2WithRegistersPreTrainedModel Emu3Config Emu3ForCausalLM Emu3ForConditionalGeneration "
            "Emu3ImageProcessor Emu3PreTrainedModel Emu3Processor Emu3TextConfig Emu3TextModel Emu3VQVAE "
            "Emu3VQVAEConfig HiggsConfig HiggsLinear ModernBertConfig ModernBertForMaskedLM "
            "ModernBertForSequenceClassification ModernBertForTokenClassification ModernBertModel "
            "ModernBertPreTrainedModel MoonshineConfig MoonshineForConditionalGeneration MoonshineModel "
            "MoonshinePreTrainedModel TextNetBackbone TextNetConfig TextNetForImageClassification "
            "TextNetImageProcessor TextNetModel TextNetPreTrainedModel TimmWrapperConfig "
            "TimmWrapperForImageClassification TimmWrapperImageProcessor TimmWrapperModel "
            "TimmWrapperPreTrainedModel VitPoseBackbone VitPoseBackboneConfig "
            "VitPoseBackbonePreTrainedModel VitPoseConfig VitPoseForPoseEstimation VitPoseImageProcessor "
            "VitPosePreTrainedModel VptqConfig dequantize_higgs is_flute_available is_hadamard_available "
            "is_soundfile_available is_timm_config_dict is_timm_local_checkpoint is_triton_available "
            "is_vptq_available quantize_with_higgs replace_with_higgs_linear replace_with_vptq_linear "
        ),
        "4.49": (
            "BlipImageProcessorFast CLIPImageProcessorFast ConvNextImageProcessorFast DabDetrConfig "
            "DabDetrForObjectDetection DabDetrModel DabDetrPreTrainedModel DataCollatorForMultipleChoice "
            "DeiTImageProcessorFast DepthProConfig DepthProForDepthEstimation DepthProImageProcessor "
            "DepthProImageProcessorFast DepthProModel DepthProPreTrainedModel FP8Linear "
            "FineGrainedFP8Config GotOcr2Config GotOcr2ForConditionalGeneration GotOcr2ImageProcessor "
            "GotOcr2PreTrainedModel GotOcr2Processor GotOcr2VisionConfig GraniteMoeSharedConfig "
            "GraniteMoeSharedForCausalLM GraniteMoeSharedModel GraniteMoeSharedPreTrainedModel HeliumConfig "
            "HeliumForCausalLM HeliumForSequenceClassification HeliumForTokenClassification HeliumModel "
            "HeliumPreTrainedModel LlavaImageProcessor LlavaImageProcessorFast LlavaNextImageProcessorFast "
            "LlavaOnevisionImageProcessorFast Qwen2VLImageProcessorFast Qwen2_5_VLConfig "
            "Qwen2_5_VLForConditionalGeneration Qwen2_5_VLModel Qwen2_5_VLPreTrainedModel "
            "Qwen2_5_VLProcessor RTDetrV2Config RTDetrV2ForObjectDetection RTDetrV2Model "
            "RTDetrV2PreTrainedModel SiglipImageProcessorFast SpQRConfig SuperGlueConfig "
            "SuperGlueForKeypointMatching SuperGlueImageProcessor SuperGluePreTrainedModel Zamba2Config "
            "Zamba2ForCausalLM Zamba2ForSequenceClassification Zamba2Model Zamba2PreTrainedModel "
            "convert_tekken_tokenizer is_apollo_torch_available is_gptqmodel_available is_spqr_available "
            "is_yt_dlp_available replace_with_fp8_linear replace_with_spqr_linear "
        ),
        "4.50": (
            "AyaVisionConfig AyaVisionForConditionalGeneration AyaVisionPreTrainedModel AyaVisionProcessor "
            "Gemma3Config Gemma3ForCausalLM Gemma3ForConditionalGeneration Gemma3ImageProcessor "
            "Gemma3ImageProcessorFast Gemma3PreTrainedModel Gemma3Processor Gemma3TextConfig "
            "Gemma3TextModel GotOcr2ImageProcessorFast Mistral3Config Mistral3ForConditionalGeneration "
            "Mistral3PreTrainedModel PromptDepthAnythingConfig PromptDepthAnythingForDepthEstimation "
            "PromptDepthAnythingImageProcessor PromptDepthAnythingPreTrainedModel QuarkConfig "
            "ShieldGemma2Config ShieldGemma2ForImageClassification ShieldGemma2Processor Siglip2Config "
            "Siglip2ForImageClassification Siglip2ImageProcessor Siglip2ImageProcessorFast Siglip2Model "
            "Siglip2PreTrainedModel Siglip2Processor Siglip2TextConfig Siglip2TextModel Siglip2VisionConfig "
            "Siglip2VisionModel SmolVLMConfig SmolVLMForConditionalGeneration SmolVLMImageProcessor "
            "SmolVLMModel SmolVLMPreTrainedModel SmolVLMProcessor SmolVLMVisionConfig "
            "SmolVLMVisionTransformer SwanLabCallback is_habana_gaudi1 is_num2words_available "
            "is_quark_available is_rich_available is_swanlab_available is_torch_hpu_available "
            "make_flex_block_causal_mask model_addition_debugger model_addition_debugger_context "
            "register_quantization_config register_quantizer shard_and_distribute_module "
        ),
        "4.51": (
            "AttentionInterface DeepseekV3Config DeepseekV3ForCausalLM DeepseekV3Model "
            "DeepseekV3PreTrainedModel FbgemmFp8Llama4TextExperts Glm4Config Glm4ForCausalLM "
            "Glm4ForSequenceClassification Glm4ForTokenClassification Glm4Model Glm4PreTrainedModel "
            "HybridChunkedCache Llama4Config Llama4ForCausalLM Llama4ForConditionalGeneration "
            "Llama4ImageProcessorFast Llama4PreTrainedModel Llama4Processor Llama4TextConfig "
            "Llama4TextModel Llama4VisionConfig Llama4VisionModel ModernBertForQuestionAnswering "
            "Phi4MultimodalAudioConfig Phi4MultimodalAudioModel Phi4MultimodalAudioPreTrainedModel "
            "Phi4MultimodalConfig Phi4MultimodalFeatureExtractor Phi4MultimodalForCausalLM "
            "Phi4MultimodalImageProcessorFast Phi4MultimodalModel Phi4MultimodalPreTrainedModel "
            "Phi4MultimodalProcessor Phi4MultimodalVisionConfig Phi4MultimodalVisionModel "
            "Phi4MultimodalVisionPreTrainedModel Qwen3Config Qwen3ForCausalLM Qwen3ForQuestionAnswering "
            "Qwen3ForSequenceClassification Qwen3ForTokenClassification Qwen3Model Qwen3MoeConfig "
            "Qwen3MoeForCausalLM Qwen3MoeForQuestionAnswering Qwen3MoeForSequenceClassification "
            "Qwen3MoeForTokenClassification Qwen3MoeModel Qwen3MoePreTrainedModel Qwen3PreTrainedModel "
            "SamVisionModel can_return_tuple dynamic_rope_update is_torchdynamo_exporting "
        ),
        "4.52": (
            "AutoRoundConfig AutoVideoProcessor BaseVideoProcessor BitNetQuantConfig ClassAttrs "
            "ClassDocstring GradientCheckpointingLayer ImageProcessorArgs ModelArgs auto_class_docstring "
            "auto_docstring check_torch_load_is_safe is_auto_round_available "
            "is_huggingface_hub_greater_or_equal is_kernels_available is_torch_accelerator_available "
            "list_repo_templates parse_docstring set_min_indent source_args_doc "
        ),
        "4.53": (
            "AttentionMaskInterface ContinuousBatchingManager ContinuousMixin FIFOScheduler ModelOutputArgs "
            "PagedAttentionCache PrefillFirstScheduler RequestState RequestStatus Scheduler "
            "get_args_doc_from_source is_cuda_platform is_flash_attn_3_available is_matplotlib_available "
            "is_rocm_platform is_torchcodec_available kernelize "
        ),
        "4.54": (
            "AutoModelForKeypointMatching CacheLayerMixin CacheProcessor ChunkedSlidingLayer "
            "DistributedConfig DynamicLayer FPQuantConfig HQQQuantizedCacheProcessor MistralCommonTokenizer "
            "Modality OffloadedCacheProcessor QuantizedCacheProcessor QuantoQuantizedCacheProcessor "
            "SlidingWindowLayer StaticLayer TrackioCallback TransformersKwargs "
            "get_cosine_with_min_lr_schedule_with_warmup_lr_rate is_fp_quant_available "
            "is_mistral_common_available is_qutlass_available is_torch_optimi_available "
            "is_trackio_available is_xlstm_available "
        ),
        "4.55": (
            "Mxfp4Config Mxfp4GptOssExperts convert_moe_packed_tensors is_libcst_available "
            "load_and_swizzle_mxfp4 quantize_to_mxfp4 replace_with_mxfp4_linear swizzle_mxfp4 "
        ),
        "4.56": (
            "HQQQuantizedLayer KeypointMatchingPipeline QuantoQuantizedLayer infer_device is_quanto_greater "
        ),
        "4.57": (
            "CacheAllocator FullAttentionCacheAllocator PromptDepthAnythingImageProcessorFast "
            "SlidingAttentionCacheAllocator StaticSlidingWindowLayer is_flash_linear_attention_available "
        ),
        "5.0": (
            "AnyToAnyPipeline AutoModelForMultimodalLM Bnb4bitQuantize Chunk Concatenate ConversionOps "
            "KernelConfig MergeModulelist MistralCommonBackend PermuteForRope PreTrainedConfig "
            "PythonBackend RopeParameters SentencePieceBackend SplitModulelist TokenizersBackend "
            "TopHLogitsWarper WeightConverter batched_mm_experts_forward enable_tf32 "
            "grouped_mm_experts_forward is_env_variable_false is_env_variable_true is_grouped_mm_available "
            "is_jmespath_available is_llm_awq_available is_numba_available is_pytest_order_available "
            "is_tracing lazy_load_kernel safe_load_json_file torch_compilable_check "
            "use_experts_implementation use_kernelized_func "
        ),
        "5.2": (
            "SinqConfig SinqDeserialize SinqQuantize activate_neftune apply_liger_kernel deactivate_neftune "
            "is_sinq_available "
        ),
        "5.3": (
            "FourOverSixConfig MetalConfig MetalLinear is_fouroversix_available replace_with_metal_linear "
        ),
        "5.4": (
            "ContinuousBatchingConfig GreedyLR KubeflowCallback PilBackend "
            "PromptDepthAnythingImageProcessorPil TorchvisionBackend get_greedy_schedule "
            "is_flash_attn_4_available is_kubeflow_available is_torch_neuron_available "
        ),
        "5.5": ("ModelManager build_server is_multipart_available is_serve_available "),
        "5.6": ("is_ipython_available "),
        "5.9": ("AutoModelForTDT ModelRunner "),
        "5.10": ("hf_api "),
        "5.11": (
            "DynamicIndexedLayer GemmaQuantizationConfig QuantizedEmbedding StaticIndexedLayer "
            "TextDiffusionStreamer apply_srq is_torchvision_greater_or_equal no_inherit_decorator "
            "replace_with_quant_layers "
        ),
        "5.13": (
            "AutoExportConfig AutoHfExporter DynamoConfig DynamoExporter ExecutorchConfig "
            "ExecutorchExporter ExportConfigMixin ExportFormat GroupWeightRename HfExporter OnnxExporter "
            "ResponseParser VisionFuseAndPermuteForRope VisionUnfuseAndPermuteForRope get_hf_exporter "
            "is_executorch_available is_onnxruntime_available is_onnxscript_available "
            "is_peft_greater_or_equal parse_response register_export_config register_exporter "
        ),
        "5.14": ("AmbiguousGlobalPerLayerAttributeError HeterogeneousConfigMixin verify_fsdp_plan "),
        "5.15": (
            "CompressedTensorsFP8Linear DFlashTokenCandidateGenerator DistributedMixin "
            "gather_full_state_dict initialize_fully_sharded_data_parallelism "
            "is_torch_distributed_available load_optimizer_distributed "
            "replace_with_compressed_tensors_fp8_linear resolve_mistral_format "
            "save_model_checkpoint_distributed save_optimizer_distributed "
            "use_kernel_func_from_hub_with_fallback "
        ),
        "5.16": ("NVFP4Config NVFP4Linear NVFP4Quantize replace_with_nvfp4_linear "),
        "5.17": (
            "FP8Embedding GgufConfig GgufHeader get_gguf_config get_gguf_conversion_mapping get_gguf_plan "
            "get_gguf_tokenizer is_diffusers_available is_gguf_arch_supported load_gguf_state_dict "
            "read_gguf_metadata replace_with_fp8_embedding replace_with_gguf_modules "
        ),
        "5.18": (
            "CachePool OpenVINOConfig OpenVINOExporter get_device_type initialize_distributed_mesh "
            "is_openvino_available resolve_revision "
        ),
        "5.19": ("VideoProcessorMixin "),
        "5.20": (
            "CalibrationSet DecisionConfig ExportQuantizer NNCFOnnxQuantizer NNCFOpenVINOQuantizer "
            "NNCFQuantizationConfig NNCFTorchFXQuantizer NNCFWeightCompressionConfig "
            "OnnxRuntimeDynamicConfig OnnxRuntimeQuantizer OnnxRuntimeStaticConfig PT2EQuantizer "
            "consolidate_distributed_checkpoint get_current_accelerator is_nncf_available "
            "is_torchcodec_greater_or_equal "
        ),
        "5.21": ("Fp8QuantizedLayer "),
        "5.23": (
            "AutoModelForDecision DecisionPipeline DynamoModelRunner ExecutorchModelRunner ExportMetadata "
            "ExportedComponent ExportedModel OnnxModelRunner OpenVINOModelRunner is_audio_available "
            "is_soxr_available is_torchcodec_usable register_backend "
        ),
        "5.24": ("is_torch_supa_available "),
    },
    "trl": {
        "0.2": (
            "AutoModelForCausalLMWithValueHead AutoModelForSeq2SeqLMWithValueHead BaseTrainer PPOConfig "
            "PreTrainedModelWrapper create_reference_model "
        ),
        "0.3": ("set_seed "),
        "0.4": (
            "BestOfNSampler ConstantLengthDataset DataCollatorForCompletionOnlyLM RewardTrainer SFTTrainer "
            "compute_accuracy is_peft_available "
        ),
        "0.5": ("DPOTrainer "),
        "0.6": (
            "DDPOConfig DDPOPipelineOutput DDPOSchedulerOutput DDPOStableDiffusionPipeline DDPOTrainer "
            "DefaultDDPOStableDiffusionPipeline RunningMoments disable_dropout_in_model "
            "is_bitsandbytes_available is_diffusers_available "
        ),
        "0.7": (
            "IterativeSFTTrainer ModelConfig RewardConfig TextEnvironment TextHistory get_kbit_device_map "
            "get_peft_config get_quantization_config is_deepspeed_available is_npu_available "
            "is_rich_available is_unsloth_available is_wandb_available is_xpu_available "
            "peft_module_casting_to_bf16 prepare_model_for_kbit_training setup_chat_format "
        ),
        "0.8": (
            "CPOConfig CPOTrainer DpoScriptArguments KTOConfig KTOTrainer ORPOConfig ORPOTrainer "
            "OptionalDependencyNotAvailable RichProgressCallback ScriptArguments SftScriptArguments "
            "TrlParser YamlConfigParser init_zero_verbose is_pil_available main unwrap_model_for_generation "
        ),
        "0.9": (
            "AlignPropConfig AlignPropTrainer DPOConfig DPOScriptArguments FDivergenceConstants "
            "FDivergenceType PPOv2Config PPOv2Trainer RLOOConfig RLOOTrainer SFTConfig SFTScriptArguments "
            "SyncRefModelCallback prepare_deepspeed "
        ),
        "0.10": (
            "BCOConfig BCOTrainer BaseJudge BasePairwiseJudge BaseRankJudge HfPairwiseJudge "
            "LogCompletionsCallback OnlineDPOConfig OnlineDPOTrainer OpenAIPairwiseJudge PairRMJudge "
            "RandomPairwiseJudge RandomRankJudge WinRateCallback empty_cache is_llmblender_available "
            "is_openai_available "
        ),
        "0.11": (
            "GKDConfig GKDTrainer GeometricMixtureWrapper NashMDConfig NashMDTrainer XPOConfig XPOTrainer "
            "apply_chat_template extract_prompt is_conversational is_liger_kernel_available "
            "maybe_apply_chat_template maybe_extract_prompt maybe_unpair_preference_dataset "
            "unpair_preference_dataset "
        ),
        "0.12": ("is_llm_blender_available "),
        "0.13": (
            "AllTrueJudge BaseBinaryJudge MergeModelCallback PRMConfig PRMTrainer is_mergekit_available "
            "make_parser "
        ),
        "0.14": ("GRPOConfig GRPOTrainer is_vllm_available "),
        "0.15": ("maybe_convert_to_chatml pack_examples "),
        "0.16": ("pack_dataset prepare_fsdp truncate_dataset "),
        "0.18": ("IterativeSFTConfig get_act_offloading_ctx_manager think_format_reward "),
        "0.19": ("clone_chat_template is_conversational_from_value "),
        "0.22": (
            "BEMACallback DatasetMixtureConfig get_dataset get_soft_overlong_punishment "
            "prepare_multimodal_messages prepare_peft_model "
        ),
        "0.24": (
            "GFPOConfig GFPOTrainer GRPOWithReplayBufferConfig GRPOWithReplayBufferTrainer ReplayBuffer "
            "WeaveCallback accuracy_reward ensure_master_addr_port "
        ),
        "0.25": ("GOLDConfig GOLDTrainer PAPOConfig PAPOTrainer prepare_multimodal_messages_vllm "),
        "0.26": (
            "MiniLLMConfig MiniLLMTrainer TRLExperimentalWarning add_response_schema "
            "generate_rollout_completions get_training_chat_template reasoning_accuracy_reward "
        ),
        "0.28": ("VLLMGeneration "),
        "0.29": (
            "Command EnvCommand SkillsCommand TrainingCommand VllmServeCommand get_commands install_skill "
            "list_agent_names list_skills resolve_target_path uninstall_skill "
        ),
        "1.0": (
            "AsyncGRPOConfig AsyncGRPOTrainer DPPOConfig DPPOTrainer SDFTConfig SDFTTrainer SDPOConfig "
            "SDPOTrainer SelfDistillationConfig SelfDistillationMixin "
        ),
        "1.1": (
            "DistillationConfig DistillationTrainer build_teacher_request_inputs patch_chunked_lm_head "
            "supports_tool_calling "
        ),
        "1.2": ("SSDConfig SSDTrainer "),
        "1.3": ("TPOConfig TPOTrainer "),
        "1.4": ("OpenRewardSpec "),
        "1.6": ("A2POConfig A2POTrainer "),
        "1.7": (
            "GMPOConfig GMPOTrainer HarborBashEnv HarborEnv HarborSpec get_cosine_scaled_reward "
            "get_repetition_penalty_reward "
        ),
        "1.9": ("IWOPDConfig IWOPDTrainer ServerDistillationConfig ServerDistillationTrainer "),
        "1.11": ("AsyncDistillationConfig AsyncDistillationTrainer "),
        "1.13": ("FusedLinearDPOLoss FusedLinearGRPOLoss FusedLinearJSDLoss FusedLinearKTOLoss "),
        "1.14": ("selective_log_softmax_and_entropy "),
        "1.15": ("ChunkedLogProbFunction add_fused_lm_head enable_selective_activation_checkpointing "),
    },
}

GONE: dict[str, dict[str, str]] = {
    "accelerate": {
        "0.10": ("is_tensorflow_available "),
        "0.19": ("is_apex_available "),
        "0.20": ("IntelPyTorchExtensionPlugin "),
        "0.21": ("get_launch_prefix "),
        "0.25": ("is_safetensors_available require_safetensors "),
        "0.31": ("prepare_model "),
        "1.0": ("is_tpu_available shard_checkpoint "),
        "1.5": ("check_fp8_capability "),
        "1.11": ("RegressionModel4XPU "),
        "1.13": ("get_ccl_version is_ccl_available is_ipex_available "),
    },
    "peft": {
        "0.6": ("add_library_to_model_card "),
        "0.7": ("hub_file_exists "),
        "0.10": ("prepare_model_for_int8_training "),
        "0.15": ("QuantLinear "),
        "0.19": ("BoneConfig BoneLayer BoneLinear BoneModel get_auto_gptq_quant_linear "),
        "0.21": ("GPTQOFTLinear "),
    },
    "transformers": {
        "4.5": ("is_sagemaker_distributed_available "),
        "4.6": ("requires_sklearn "),
        "4.21": ("get_default_model "),
        "4.22": (
            "cached_path filename_to_url get_from_cache get_list_of_files hf_bucket_url is_local_clone "
            "url_to_filename "
        ),
        "4.25": ("ImageProcessorMixin is_scatter_available "),
        "4.27": ("is_more_itertools_available "),
        "4.28": ("is_torch_onnx_dict_inputs_support_available "),
        "4.35": ("is_fairscale_available "),
        "4.37": ("tf_required torch_required "),
        "4.39": ("tf_top_k_top_p_filtering top_k_top_p_filtering "),
        "4.41": (
            "AzureOpenAiAgent HfAgent ImageCaptioningTool ImageSegmentationTool LocalAgent OpenAiAgent "
            "RemoteTool TextClassificationTool TextQuestionAnsweringTool TextSummarizationTool "
        ),
        "4.42": ("Conversation ConversationalPipeline "),
        "4.45": ("ForceTokensLogitsProcessor "),
        "4.47": ("is_quanto_available "),
        "4.48": ("is_soundfile_availble "),
        "4.49": (
            "LogitsWarper MaxNewTokensCriteria PyTorchBenchmark PyTorchBenchmarkArguments "
            "TensorFlowBenchmark TensorFlowBenchmarkArguments get_cached_models move_cache "
        ),
        "4.52": (
            "Agent CodeAgent DocumentQuestionAnsweringTool DuckDuckGoSearchTool FinalAnswerTool HfApiEngine "
            "HfEngine ImageQuestionAnsweringTool ManagedAgent PipelineTool PythonInterpreterTool ReactAgent "
            "ReactCodeAgent ReactJsonAgent SpeechToTextTool TextToSpeechTool Tool ToolCollection Toolbox "
            "TransformersEngine TranslationTool VisitWebpageTool get_file_from_repo launch_gradio_demo "
            "load_tool model_addition_debugger stream_to_gradio tool "
        ),
        "4.53": ("add_model_info_to_auto_map add_model_info_to_custom_pipelines source_args_doc "),
        "4.54": ("LossKwargs "),
        "4.56": (
            "CacheConfig CacheProcessor HQQQuantizedCacheProcessor OffloadedCacheProcessor "
            "QuantizedCacheConfig QuantizedCacheProcessor QuantoQuantizedCacheProcessor "
        ),
        "4.57": ("is_jieba_available send_example_telemetry "),
        "5.0": (
            "AdamWeightDecay AdaptiveEmbedding AlbertOnnxConfig AlbertTokenizerFast AutoModelForVision2Seq "
            "AutoModelWithLMHead BartOnnxConfig BarthezTokenizerFast BaseTransformersCLICommand "
            "BeamHypotheses BeamSampleDecoderOnlyOutput BeamSampleEncoderDecoderOutput "
            "BeamSearchDecoderOnlyOutput BeamSearchEncoderDecoderOutput BeamSearchScorer "
            "BeitFeatureExtractor BeitOnnxConfig BertOnnxConfig BigBirdOnnxConfig BigBirdPegasusOnnxConfig "
            "BigBirdTokenizerFast BlenderbotOnnxConfig BlenderbotSmallOnnxConfig "
            "BlenderbotSmallTokenizerFast BlenderbotTokenizerFast BloomOnnxConfig BloomTokenizerFast "
            "CLIPFeatureExtractor CLIPOnnxConfig CLIPTokenizerFast CamembertOnnxConfig "
            "CamembertTokenizerFast ChineseCLIPFeatureExtractor ChineseCLIPOnnxConfig ChunkedSlidingLayer "
            "CodeGenOnnxConfig CohereTokenizerFast ConditionalDetrFeatureExtractor "
            "ConditionalDetrOnnxConfig ContrastiveSearchDecoderOnlyOutput "
            "ContrastiveSearchEncoderDecoderOutput ConvBertOnnxConfig ConvNextFeatureExtractor "
            "ConvNextOnnxConfig DPTFeatureExtractor Data2VecTextOnnxConfig Data2VecVisionOnnxConfig "
            "DebertaOnnxConfig DebertaTokenizerFast DebertaV2OnnxConfig DebertaV2TokenizerFast "
            "DeformableDetrFeatureExtractor DeiTFeatureExtractor DeiTOnnxConfig DetaConfig "
            "DetaForObjectDetection DetaImageProcessor DetaModel DetaPreTrainedModel DetrFeatureExtractor "
            "DetrOnnxConfig Dinov2OnnxConfig DistilBertOnnxConfig DonutFeatureExtractor "
            "EfficientFormerConfig EfficientFormerForImageClassification "
            "EfficientFormerForImageClassificationWithTeacher EfficientFormerImageProcessor "
            "EfficientFormerModel EfficientFormerPreTrainedModel EfficientNetOnnxConfig ElectraOnnxConfig "
            "ElectraTokenizerFast ErnieMConfig ErnieMForInformationExtraction ErnieMForMultipleChoice "
            "ErnieMForQuestionAnswering ErnieMForSequenceClassification ErnieMForTokenClassification "
            "ErnieMModel ErnieMPreTrainedModel ErnieMTokenizer ErnieOnnxConfig EvaluationStrategy "
            "FeaturesManager FlaubertOnnxConfig FlavaFeatureExtractor FunnelTokenizerFast "
            "GLPNFeatureExtractor GPT2OnnxConfig GPT2TokenizerFast GPTJOnnxConfig GPTNeoOnnxConfig "
            "GPTNeoXTokenizerFast GPTSanJapaneseConfig GPTSanJapaneseForConditionalGeneration "
            "GPTSanJapaneseModel GPTSanJapanesePreTrainedModel GPTSanJapaneseTokenizer GemmaTokenizerFast "
            "GradientAccumulator GraphormerConfig GraphormerForGraphClassification GraphormerModel "
            "GraphormerPreTrainedModel GreedySearchDecoderOnlyOutput GreedySearchEncoderDecoderOutput "
            "GroupViTOnnxConfig HQQQuantizedCache HammingDiversityLogitsProcessor HerbertTokenizerFast "
            "HybridCache HybridChunkedCache IBertOnnxConfig ImageGPTFeatureExtractor ImageGPTOnnxConfig "
            "ImageToTextPipeline InstructBlipVideoImageProcessor JukeboxConfig JukeboxModel "
            "JukeboxPreTrainedModel JukeboxPrior JukeboxPriorConfig JukeboxTokenizer JukeboxVQVAE "
            "JukeboxVQVAEConfig KerasMetricCallback LEDForSequenceClassification LEDTokenizerFast "
            "LayoutLMOnnxConfig LayoutLMv2FeatureExtractor LayoutLMv3FeatureExtractor LayoutLMv3OnnxConfig "
            "LayoutXLMTokenizerFast LevitFeatureExtractor LevitOnnxConfig LineByLineTextDataset "
            "LineByLineWithRefDataset LineByLineWithSOPTextDataset LlavaNextVideoImageProcessor "
            "LongT5OnnxConfig LongformerOnnxConfig LongformerTokenizerFast LxmertTokenizerFast "
            "M2M100OnnxConfig MBartOnnxConfig MBartTokenizerFast MCTCTConfig MCTCTFeatureExtractor "
            "MCTCTForCTC MCTCTModel MCTCTPreTrainedModel MCTCTProcessor MMBTConfig MMBTForClassification "
            "MMBTModel MPNetTokenizerFast MT5OnnxConfig MT5Tokenizer MT5TokenizerFast MarianOnnxConfig "
            "MaskFormerFeatureExtractor MegaConfig MegaForCausalLM MegaForMaskedLM MegaForMultipleChoice "
            "MegaForQuestionAnswering MegaForSequenceClassification MegaForTokenClassification MegaModel "
            "MegaOnnxConfig MegaPreTrainedModel MobileBertOnnxConfig MobileNetV1FeatureExtractor "
            "MobileNetV1OnnxConfig MobileNetV2FeatureExtractor MobileNetV2OnnxConfig "
            "MobileViTFeatureExtractor MobileViTOnnxConfig MobileViTV2OnnxConfig ModalEmbeddings "
            "MvpTokenizerFast NatBackbone NatConfig NatForImageClassification NatModel NatPreTrainedModel "
            "NezhaConfig NezhaForMaskedLM NezhaForMultipleChoice NezhaForNextSentencePrediction "
            "NezhaForPreTraining NezhaForQuestionAnswering NezhaForSequenceClassification "
            "NezhaForTokenClassification NezhaModel NezhaPreTrainedModel NllbTokenizerFast "
            "NougatTokenizerFast OffloadedCache OffloadedStaticCache OnnxConfigWithPast "
            "OnnxSeq2SeqConfigWithPast OpenAIGPTTokenizerFast OpenLlamaConfig OpenLlamaForCausalLM "
            "OpenLlamaForSequenceClassification OpenLlamaModel OpenLlamaPreTrainedModel "
            "OwlViTFeatureExtractor OwlViTOnnxConfig ParameterFormat PatchingSpec PegasusTokenizerFast "
            "PerceiverFeatureExtractor PerceiverOnnxConfig PoolFormerFeatureExtractor PoolFormerOnnxConfig "
            "PushToHubCallback PvtOnnxConfig QDQBertConfig QDQBertForMaskedLM QDQBertForMultipleChoice "
            "QDQBertForNextSentencePrediction QDQBertForQuestionAnswering QDQBertForSequenceClassification "
            "QDQBertForTokenClassification QDQBertLMHeadModel QDQBertLayer QDQBertModel "
            "QDQBertPreTrainedModel QuantoQuantizedCache Qwen2TokenizerFast RealmConfig RealmEmbedder "
            "RealmForOpenQA RealmKnowledgeAugEncoder RealmPreTrainedModel RealmReader RealmRetriever "
            "RealmScorer RealmTokenizer RealmTokenizerFast ReformerTokenizerFast RemBertOnnxConfig "
            "RemBertTokenizerFast ResNetOnnxConfig RetriBertConfig RetriBertModel RetriBertPreTrainedModel "
            "RetriBertTokenizer RetriBertTokenizerFast RoFormerOnnxConfig RobertaOnnxConfig "
            "RobertaPreLayerNormOnnxConfig SageMakerTrainer SageMakerTrainingArguments "
            "SampleDecoderOnlyOutput SampleEncoderDecoderOutput SeamlessM4TTokenizerFast "
            "SegformerFeatureExtractor SegformerOnnxConfig SinkCache SlidingWindowLayer SpecialTokensMixin "
            "Speech2Text2Config Speech2Text2ForCausalLM Speech2Text2PreTrainedModel Speech2Text2Processor "
            "Speech2Text2Tokenizer SplinterTokenizerFast SqueezeBertOnnxConfig SummarizationPipeline "
            "SwiftFormerOnnxConfig SwinOnnxConfig T5OnnxConfig T5TokenizerFast TableTransformerOnnxConfig "
            "TapexTokenizer Text2TextGenerationPipeline TextDataset TextDatasetForNextSentencePrediction "
            "TrajectoryTransformerConfig TrajectoryTransformerModel TrajectoryTransformerPreTrainedModel "
            "TransfoXLConfig TransfoXLCorpus TransfoXLForSequenceClassification TransfoXLLMHeadModel "
            "TransfoXLModel TransfoXLPreTrainedModel TransfoXLTokenizer TranslationPipeline TvltConfig "
            "TvltFeatureExtractor TvltForAudioVisualClassification TvltForPreTraining TvltImageProcessor "
            "TvltModel TvltPreTrainedModel TvltProcessor UMT5OnnxConfig UdopTokenizerFast VanConfig "
            "VanForImageClassification VanModel VanPreTrainedModel ViTFeatureExtractor ViTHybridConfig "
            "ViTHybridForImageClassification ViTHybridImageProcessor ViTHybridModel "
            "ViTHybridPreTrainedModel ViTOnnxConfig VideoMAEFeatureExtractor ViltFeatureExtractor "
            "VisionEncoderDecoderOnnxConfig WarmUp Wav2Vec2ForMaskedLM Wav2Vec2Tokenizer WhisperOnnxConfig "
            "WhisperTokenizerFast XGLMTokenizerFast XLMOnnxConfig XLMProphetNetConfig XLMProphetNetDecoder "
            "XLMProphetNetEncoder XLMProphetNetForCausalLM XLMProphetNetForConditionalGeneration "
            "XLMProphetNetModel XLMProphetNetPreTrainedModel XLMProphetNetTokenizer XLMRobertaOnnxConfig "
            "XLMRobertaTokenizerFast XLMRobertaXLOnnxConfig XLNetTokenizerFast XmodOnnxConfig "
            "YolosFeatureExtractor YolosOnnxConfig compute_serialized_parameters_size "
            "convert_tf_weight_name_to_pt_weight_name create_optimizer download_url fuse_awq_modules "
            "get_framework get_full_repo_name http_get infer_framework infer_framework_from_model "
            "infer_framework_load_model is_auto_awq_available is_auto_gptq_available "
            "is_bitsandbytes_multi_backend_available is_eetq_available is_flax_available is_jax_tensor "
            "is_keras_nlp_available is_remote_url is_safetensors_available is_sigopt_available "
            "is_tensorflow_probability_available is_tensorflow_text_available is_tf2onnx_available "
            "is_tf_available is_tf_symbolic_tensor is_tf_tensor is_torch_bf16_available "
            "is_torch_bf16_cpu_available is_torch_compile_available is_torch_fx_available "
            "is_torch_sdpa_available is_torchdynamo_available load_pytorch_checkpoint_in_tf2_model "
            "load_pytorch_model_in_tf2_model load_pytorch_weights_in_tf2_model "
            "load_tf2_checkpoint_in_pytorch_model load_tf2_model_in_pytorch_model "
            "load_tf2_weights_in_pytorch_model load_tf_weights_in_albert load_tf_weights_in_bert "
            "load_tf_weights_in_bert_generation load_tf_weights_in_big_bird load_tf_weights_in_canine "
            "load_tf_weights_in_convbert load_tf_weights_in_electra load_tf_weights_in_funnel "
            "load_tf_weights_in_gpt2 load_tf_weights_in_gpt_neo load_tf_weights_in_imagegpt "
            "load_tf_weights_in_mobilebert load_tf_weights_in_mobilenet_v1 load_tf_weights_in_mobilenet_v2 "
            "load_tf_weights_in_openai_gpt load_tf_weights_in_qdqbert load_tf_weights_in_realm "
            "load_tf_weights_in_rembert load_tf_weights_in_roc_bert load_tf_weights_in_roformer "
            "load_tf_weights_in_t5 load_tf_weights_in_tapas load_tf_weights_in_trajectory_transformer "
            "load_tf_weights_in_transfo_xl load_tf_weights_in_xlnet prune_layer replace_8bit_linear "
            "run_hp_search_sigopt set_module_8bit_tensor_to_device set_module_quantized_tensor_to_device "
            "shape_list validate_model_outputs working_or_temp_dir "
        ),
        "5.1": ("is_ccl_available is_ftfy_available is_ipex_available post_init_awq_ipex_modules "),
        "5.3": (
            "ImageToImagePipeline QuestionAnsweringArgumentHandler QuestionAnsweringPipeline "
            "VisualQuestionAnsweringPipeline "
        ),
        "5.4": (
            "BlipImageProcessorFast CLIPImageProcessorFast ConvNextImageProcessorFast "
            "DeformableDetrImageProcessorFast DeiTImageProcessorFast DepthProImageProcessorFast "
            "DetrImageProcessorFast Gemma3ImageProcessorFast GotOcr2ImageProcessorFast "
            "Llama4ImageProcessorFast LlavaImageProcessorFast LlavaNextImageProcessorFast "
            "LlavaOnevisionImageProcessorFast Phi4MultimodalImageProcessorFast PixtralImageProcessorFast "
            "PromptDepthAnythingImageProcessorFast Qwen2VLImageProcessorFast RTDetrImageProcessorFast "
            "Siglip2ImageProcessorFast SiglipImageProcessorFast ViTImageProcessorFast "
        ),
        "5.5": ("MambaCache "),
        "5.8": (
            "BeamScorer ConstrainedBeamSearchScorer Constraint ConstraintListState DisjunctiveConstraint "
            "PhrasalConstraint "
        ),
        "5.15": ("is_jmespath_available "),
        "5.16": ("load_and_swizzle_mxfp4 translate_to_torch_parallel_style "),
        "5.18": (
            "CodeGenTokenizerFast ConvBertTokenizerFast ElectraTokenizer LEDTokenizer LayoutLMTokenizer "
            "LayoutLMTokenizerFast LongformerTokenizer LxmertTokenizer MvpTokenizer "
            "load_dequant_gguf_tensor "
        ),
        "5.20": (
            "DataCollatorForSOP DataCollatorForWholeWordMask DataProcessor GlueDataTrainingArguments "
            "GlueDataset InputExample InputFeatures SingleSentenceClassificationProcessor "
            "SquadDataTrainingArguments SquadDataset SquadExample SquadFeatures SquadV1Processor "
            "SquadV2Processor acc_and_f1 glue_compute_metrics glue_convert_examples_to_features "
            "pearson_and_spearman save_model_checkpoint_distributed simple_accuracy "
            "squad_convert_examples_to_features xnli_compute_metrics "
        ),
        "5.23": ("get_hf_exporter register_export_config register_exporter "),
    },
    "trl": {
        "0.9": ("DpoScriptArguments "),
        "0.11": ("is_pil_available "),
        "0.12": ("is_llmblender_available "),
        "0.13": (
            "DPOScriptArguments RandomPairwiseJudge RandomRankJudge SFTScriptArguments SftScriptArguments "
            "is_npu_available is_xpu_available "
        ),
        "0.14": ("AdaptiveKLController FixedKLController PPOv2Config PPOv2Trainer YamlConfigParser "),
        "0.20": ("ConstantLengthDataset DataCollatorForCompletionOnlyLM pack_examples "),
        "0.21": ("TextEnvironment TextHistory "),
        "0.24": (
            "AlignPropConfig AlignPropTrainer DDPOConfig DDPOPipelineOutput DDPOSchedulerOutput "
            "DDPOStableDiffusionPipeline DDPOTrainer DefaultDDPOStableDiffusionPipeline IterativeSFTConfig "
            "IterativeSFTTrainer OptionalDependencyNotAvailable is_diffusers_available "
        ),
        "0.25": ("BestOfNSampler "),
        "0.26": ("setup_chat_format "),
        "0.29": ("FDivergenceConstants FDivergenceType "),
        "1.0": ("BaseTrainer "),
        "1.1": (
            "AllTrueJudge BaseBinaryJudge BaseJudge BasePairwiseJudge BaseRankJudge HfPairwiseJudge "
            "OpenAIPairwiseJudge PairRMJudge WinRateCallback "
        ),
        "1.2": ("is_llm_blender_available is_openai_available "),
        "1.6": ("SelfDistillationConfig SelfDistillationMixin "),
        "1.8": ("GFPOConfig GFPOTrainer PAPOConfig PAPOTrainer get_kbit_device_map "),
        "1.9": ("DPPOConfig DPPOTrainer generate_rollout_completions "),
        "1.11": (
            "SkillsCommand install_skill list_agent_names list_skills resolve_target_path uninstall_skill "
        ),
        "1.13": (
            "AutoModelForCausalLMWithValueHead AutoModelForSeq2SeqLMWithValueHead PPOConfig PPOTrainer "
            "PreTrainedModelWrapper "
        ),
        "1.14": (
            "BCOConfig BCOTrainer FusedLinearDPOLoss FusedLinearGRPOLoss FusedLinearJSDLoss "
            "FusedLinearKTOLoss GRPOWithReplayBufferConfig GRPOWithReplayBufferTrainer "
            "GeometricMixtureWrapper NashMDConfig NashMDTrainer PRMConfig PRMTrainer ReplayBuffer "
            "RunningMoments XPOConfig XPOTrainer compute_accuracy "
        ),
        "1.15": ("MiniLLMConfig MiniLLMTrainer patch_chunked_lm_head prepare_multimodal_messages_vllm "),
        "1.16": ("SSDConfig SSDTrainer "),
    },
}
