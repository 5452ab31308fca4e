/** A prepaid bundle of transfers for one address. How one is bought is not shown: the seed brings them. */
export interface TransferPackage {
  readonly id: number;
  readonly accountId: number;
  readonly address: string;
  /** In transfers. */
  readonly size: number;
  readonly createdAt: number;
  /** Until it is used up. An address has an active one or an active subscription, never both (section 3). */
  active: boolean;
}
