import { JsonReporter, type TestModule } from 'vitest/node';

/** Vitest's JSON report with the errors outside of any test. */
export default class extends JsonReporter {
  #errors: string[] = [];

  override async onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly { stack?: string; message: string }[] = [],
  ) {
    this.#errors = errors.map(({ stack, message }) => stack ?? message);
    await super.onTestRunEnd(modules);
  }

  override async writeReport(report: string): Promise<void> {
    await super.writeReport(JSON.stringify({ ...JSON.parse(report), unhandledErrors: this.#errors }));
  }
}
