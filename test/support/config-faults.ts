import { ConfigError, readConfig } from '../../src/config.ts';

/** Returns the faults that `readConfig` finds in an environment. */
export function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
