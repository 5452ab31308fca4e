/** What the sandbox's rental service holds, as its control side tells; newest first in every list. */
export interface RentalState {
  accounts: {
    id: number;
    key: string;
    balance_trx: string;
    deposit_address: string;
    webhook: { url: string; active: boolean } | null;
  }[];
  orders: {
    order_id: number;
    account_id: number;
    address: string;
    energy_amount: number;
    duration_hours: number;
    price_trx: string;
    status: string;
  }[];
  subscriptions: { id: number; address: string; label: string | null; status: string }[];
  ledger: { kind: string; amount_trx: string; order_id?: number }[];
  invoices: { invoice_id: number; status: string }[];
  webhook_log: { event_type: string; response_status: number; attempts: number }[];
  /** What doesn't add up in the service's books. */
  audit: { ok: boolean; faults: string[] };
}
