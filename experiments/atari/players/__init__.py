"""Scripted players that read the emulator's memory, one for each game.

The places in memory are those of Anand et al. (2019), "Unsupervised state representation
learning in Atari". A player has `begin(frame)` for an episode's first frame, and
`act(env, frame)`, which returns an action.
"""
