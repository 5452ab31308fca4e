import type { FeatureDeps } from './features/feature-deps.ts';

/** Tells all admins, and notes, that an admin no longer uses the operator's account: the same however often this update comes. */
export function createOperatorsLeft({ adminLog, tellAdmins }: Pick<FeatureDeps, 'adminLog' | 'tellAdmins'>) {
  return async (user: number, account: number, update: number): Promise<void> => {
    await tellAdmins.ofOperator(`unlinked:${user}:${update}`, { what: 'unlinked', by: user });
    await adminLog.note(user, 'operator-unlinked', String(account));
  };
}
