import { ConfigError, readConfig } from '../../src/config.ts';

/** What `readConfig` finds wrong with an environment. */
export function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
