import type { StoredData } from './platform/stored-data.ts';

/** Part of the documentation of stored data: the data of one or more modules. */
interface StoredDataSection {
  title: string;
  data: readonly StoredData[];
}

/** Everything that the application stores. `docs/stored-data.md` and *Forget me* are made from it. */
export const STORED_DATA: readonly StoredDataSection[] = [];
