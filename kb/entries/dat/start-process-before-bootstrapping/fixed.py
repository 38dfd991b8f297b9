from torch.utils.data import DataLoader

if __name__ == "__main__":
    loader = DataLoader(range(8), num_workers=1, multiprocessing_context="spawn")  # the way of Windows and macOS
    for batch in loader:
        print(batch)
