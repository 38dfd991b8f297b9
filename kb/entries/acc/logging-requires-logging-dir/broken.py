from accelerate import Accelerator
from accelerate.tracking import GeneralTracker, register_tracker_class

class FileTracker(GeneralTracker):  # as TensorBoard: it writes files
    name = "file"
    requires_logging_directory = True

register_tracker_class(FileTracker)
accelerator = Accelerator(log_with="file")
print(accelerator.logging_dir)
