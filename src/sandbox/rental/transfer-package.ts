/** Prepaid bundle of transfers for one address. The specification has no purchase of packages; the seed defines them. */
export interface TransferPackage {
  readonly id: number;
  readonly accountId: number;
  readonly address: string;
  /** Number of transfers. */
  readonly size: number;
  readonly createdAt: number;
  /** An address can't have both an active package and an active subscription (section 3). */
  active: boolean;
}
