import type { Invoice } from '../../src/invoices/invoice.ts';
import { createInvoiceStore } from '../../src/invoices/invoice-store.ts';
import { energyOf, type InvoiceOperationRequest } from '../../src/operations/kinds/invoice.ts';
import { INVOICE, USER } from '../operations/operations-setup.ts';
import { accepted } from '../operations/rental-stand-in.ts';
import { signedRecords } from '../support/records.ts';
import type { openChat } from './chat.ts';

type Chat = Awaited<ReturnType<typeof openChat>>;

const PAYMENT_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const numbers = new WeakMap<Chat, number>();

/** Creates a shared invoice, one second later on the clock. `stands` overrides fields of the stored invoice. */
export async function sell(
  chat: Chat,
  {
    user = USER,
    price = '5.00',
    stands = {},
    ...wish
  }: Partial<InvoiceOperationRequest> & { user?: number; price?: string; stands?: Partial<Invoice> } = {},
): Promise<Invoice> {
  const { setup, invoices } = chat;
  setup.clock.now += 1_000;
  const number = (numbers.get(chat) ?? 0) + 1;
  numbers.set(chat, number);
  const request: InvoiceOperationRequest = { ...INVOICE, kind: 'invoice', shared: true, ...wish };
  setup.rental.createInvoice.mockResolvedValueOnce(
    accepted({
      invoice_id: number,
      payment_address: PAYMENT_ADDRESS,
      address: request.address,
      energy_amount: energyOf(request),
      duration_hours: request.duration_hours,
      price_trx: price,
      price_usdt: '1.50',
      status: 'pending',
      expires_at: new Date(setup.clock.now + 30 * 60_000).toISOString(),
    }),
  );
  const operation = await setup.claimed({ user, request });
  await setup.advance(operation);
  const ref = { user, id: operation.id };
  const store = createInvoiceStore({ records: signedRecords(setup.storage) });
  const made = await store.update(ref, (invoice) => ({ ...invoice, ...stands }));
  if (made === undefined) throw new Error(`no invoice was made: ${await invoices.read(ref)}`);
  return made;
}
