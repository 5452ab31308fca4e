import { MINUTE_MS } from '../../platform/clock.ts';
import { isKeyRefused, type Outcome } from '../../rental-api/client.ts';
import type { Profile } from '../../rental-api/schemas.ts';
import { defineCheck, type Measurement } from '../check.ts';

export interface ServiceCheckDeps {
  service: {
    /** Reads the profile of the operator account in the background; without an operator key, sends no key. */
    readProfile(): Promise<Outcome<Profile>>;
    /** Whether there is an operator key. */
    hasKey: boolean;
    /** Returns the number of the account that the operator key opened before; `undefined` if it isn't known. */
    lastAccount(): Promise<number | undefined>;
    /** Whether the service has responded as specified since the process started. */
    hasResponded(): boolean;
  };
}

/** Whether the rental service responds as its specification says. */
export const SERVICE = defineCheck({
  ...{ name: 'service', everyMs: MINUTE_MS, scope: 'installation' },
  problems: {
    'service-unreachable': 'error',
    'service-not-found': 'error',
    'service-not-json': 'error',
    'service-web-page': 'error',
    'service-unexpected': 'error',
    'service-failing': 'error',
    'operator-key-refused': 'error',
    'operator-account-changed': 'error',
  },
  async measure({ service }: ServiceCheckDeps): Promise<Measurement<ServiceProblem>> {
    const outcome = await service.readProfile();
    if (outcome.kind === 'accepted') return compareAccounts(await service.lastAccount(), outcome.value.id);
    if (isKeyRefused(outcome)) {
      const detail = `${outcome.status} ${outcome.code}`;
      return service.hasKey ? { problem: 'operator-key-refused', values: { detail } } : undefined;
    }
    const { message: why } = outcome;
    if (outcome.kind === 'not-sent')
      return outcome.reason === 'limited'
        ? 'unmeasured'
        : { problem: 'service-unreachable', values: { why } };
    const { status = 0 } = outcome;
    if (status === 429) return 'unmeasured';
    if (status >= 500) return { problem: 'service-failing', values: { status } };
    if (status >= 300) return { problem: 'service-not-found', values: { status } };
    const reason = outcome.kind === 'unknown' ? outcome.reason : 'mismatch';
    if (reason === 'unreadable')
      return { problem: service.hasResponded() ? 'service-web-page' : 'service-not-json' };
    return { problem: reason === 'mismatch' ? 'service-unexpected' : 'service-unreachable', values: { why } };
  },
});

type ServiceProblem =
  | `service-${'unreachable' | 'not-found' | 'not-json' | 'web-page' | 'unexpected' | 'failing'}`
  | `operator-${'key-refused' | 'account-changed'}`;

function compareAccounts(before: number | undefined, now: number): Measurement<ServiceProblem> {
  if (before === undefined || before === now) return undefined;
  return { problem: 'operator-account-changed', values: { before: String(before), now: String(now) } };
}
