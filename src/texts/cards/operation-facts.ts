/** How an operation stands, as far as its card tells. */
export interface OperationFacts {
  id: string;
  request: { kind: 'energy'; address: string; energy_amount: number; duration_hours: number };
  state: OperationState;
  /** TRX, decimal: what it was expected to cost, and the balance when that was shown. */
  estimate?: string | undefined;
  balance?: string | undefined;
  result?: OperationResult | undefined;
  refusal?: Refusal | undefined;
  /** How often traces of it were looked for, what the balance did meanwhile, and whether the search is over. */
  search?: { count: number; balance: 'same' | 'moved' | 'unread'; over: boolean } | undefined;
}

export type OperationState =
  | 'draft'
  | 'cancelled'
  | 'claimed'
  | 'sent'
  | 'done'
  | 'refused'
  | 'unknown'
  | 'likely'
  | 'closed';

export interface OperationResult {
  order?: number | undefined;
  status?: string | undefined;
  price?: string | undefined;
  balanceLeft?: string | undefined;
}

export interface Refusal {
  reason: 'insufficient' | 'key' | 'limited' | 'address' | 'offline' | 'unlinked' | 'expired' | 'other';
  code: string;
  seconds: number;
}
