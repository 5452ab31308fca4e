import type { Jobs } from '../jobs/jobs.ts';
import type { InvoiceRef } from './invoice.ts';
import type { Invoices } from './invoices.ts';

const SHOW = 'invoice-show';
/** How often what came due is looked at. */
const LOOK_MS = 3_000;

/** Who shows invoices, and who asks the service for them: workers of their own each. */
export function createInvoiceJobs({ jobs }: { jobs: Jobs }) {
  return {
    hand: ({ user, id }: InvoiceRef) => jobs.add(SHOW, { user, id }),
    /** Says what the jobs do. Call before their start. */
    define({ shows, looks }: Invoices, lookMs = LOOK_MS): void {
      // What fails comes due again by itself.
      jobs.define(SHOW, shows.show, { tries: 1 });
      jobs.every('invoices-show', lookMs, shows.run);
      jobs.every('invoices-look', lookMs, looks.run);
    },
  };
}
