"""Worker: the confined process that runs programs and optimizers, and the two brokers that serve it."""
