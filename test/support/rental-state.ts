/** State of the sandbox's rental service, as its control API returns it. Lists are ordered newest first. */
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
  /** Energy prices in sun a unit, as in `GET /prices`. */
  prices: { energy_sun: { '1h': string; '24h': string } };
  ledger: { kind: string; amount_trx: string; order_id?: number }[];
  invoices: { invoice_id: number; status: string }[];
  webhook_log: { event_type: string; response_status: number; attempts: number }[];
  /** Inconsistencies in the service's bookkeeping. */
  audit: { ok: boolean; faults: string[] };
}
