# What all runs have in common.
lr = 2e-2
max_epochs = 6
max_norm = 1.0

optim_wrapper = dict(optimizer=dict(lr=lr, weight_decay=0.0), clip_grad=dict(max_norm=max_norm))
train_cfg = dict(max_epochs=max_epochs)
env_cfg = dict(mp_cfg=dict(mp_start_method="fork", opencv_num_threads=0))
