"""CartPole seen as pictures: a small image task that runs in minutes on two cores."""
