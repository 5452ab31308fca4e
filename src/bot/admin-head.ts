import type { Words } from '../i18n/texts.ts';
import { lines } from '../i18n/view.ts';
import type { FeatureDeps } from './feature-deps.ts';
import { figure } from './state-views.ts';

/** Failed requests in a row before the rental service is reported as unreachable. A single failure isn't reported. */
const FAILED_IN_A_ROW = 2;

type Deps = Pick<FeatureDeps, 'maintenance' | 'operations' | 'paymentsGate' | 'state'>;

/** Creates the function that returns urgent warnings for admins, one per line. The text is empty if there are none. */
export function createAdminHead({ maintenance, operations, paymentsGate, state }: Deps) {
  return async (words: Words): Promise<string> => {
    const [maintained, underWay, closed] = await Promise.all([
      figure(maintenance.find()),
      figure(operations.underWay()),
      figure(paymentsGate.closed()),
    ]);
    const { uncertain = 0, isMore = false } = underWay?.is ?? {};
    const { failedInARow, lastFailure } = state.rental();
    const isAway = failedInARow >= FAILED_IN_A_ROW;
    const byStorage = closed?.is !== undefined && closed.is.by !== 'maintenance';
    const isUnread = maintained === undefined || underWay === undefined || closed === undefined;
    return lines(
      uncertain > 0 && words.html('admin-uncertain', { count: uncertain, more: isMore ? 'yes' : 'no' }),
      maintained?.is !== undefined && words.html('admin-maintenance'),
      byStorage && words.html('admin-no-money'),
      isAway && words.html('admin-rental-away', { why: lastFailure?.why ?? '' }),
      isUnread && words.html('admin-unread'),
    );
  };
}
