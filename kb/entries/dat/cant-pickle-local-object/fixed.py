from torch.utils.data import DataLoader

def collate(rows):
    return rows

def main():
    loader = DataLoader(range(4), num_workers=1, collate_fn=collate, multiprocessing_context="spawn")
    print(list(loader))

if __name__ == "__main__":
    main()
