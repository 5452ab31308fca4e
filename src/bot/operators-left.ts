import type { FeatureDeps } from './feature-deps.ts';

/**
 * Creates the function that notifies all admins, and logs, that an admin no longer uses the operator's account. A
 * repeated update gives the same notification and the same entry.
 */
export function createOperatorsLeft({ adminLog, tellAdmins }: Pick<FeatureDeps, 'adminLog' | 'tellAdmins'>) {
  return async (user: number, account: number, update: number): Promise<void> => {
    await tellAdmins.ofOperator(`unlinked:${user}:${update}`, { what: 'unlinked', by: user });
    await adminLog.note(user, 'operator-unlinked', String(account), { update });
  };
}
