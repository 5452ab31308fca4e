import { expect, test } from 'vitest';
import { createLogOutput } from '../../src/platform/log-output.ts';
import { eventually } from '../support/eventually.ts';

const describeLoss = (count: number) => `${count} lost\n`;
const failure = (code: string) => Object.assign(new Error(code), { code });

/** Opens an output whose writes fail while `file.error` is set, and otherwise take `file.most` bytes. */
function openOutput() {
  const file = { text: '', error: undefined as Error | undefined, most: Number.POSITIVE_INFINITY, failed: 0 };
  const output = createLogOutput({
    describeLoss,
    async write(_fd, text) {
      if (file.error) {
        file.failed += 1;
        throw file.error;
      }
      const taken = text.subarray(0, file.most);
      file.text += taken;
      return { bytesWritten: taken.length };
    },
  });
  return { file, output };
}

test.each(['ENOSPC', 'EIO', 'EPIPE', 'EAGAIN'])(
  'keeps lines during %s and then writes them',
  async (code) => {
    const { file, output } = openOutput();
    file.error = failure(code);
    output.write('first\n');
    await eventually(() => expect(file.failed).toBeGreaterThan(0));
    output.write('second\n');
    expect(file.text).toBe('');
    file.error = undefined;
    await eventually(() => expect(file.text).toBe('first\nsecond\n'));
  },
);

test('continues a line that was written in part', async () => {
  const { file, output } = openOutput();
  file.most = 3;
  for (const line of ['first\n', 'second\n', 'third\n']) output.write(line);
  await eventually(() => expect(file.text).toBe('first\nsecond\nthird\n'));
});

test('loses lines if too many wait, and reports their number once writing works again', async () => {
  const { file, output } = openOutput();
  file.error = failure('ENOSPC');
  const line = `${'x'.repeat(1_023)}\n`;
  for (let count = 0; count < 5_000; count += 1) output.write(line);
  await eventually(() => expect(file.failed).toBeGreaterThan(0));
  file.error = undefined;
  await eventually(() => expect(file.text).toMatch(/lost\n$/));
  const kept = file.text.split(line).length - 1;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(2_100);
  expect(file.text).toBe(`${line.repeat(kept)}${describeLoss(5_000 - kept)}`);
  output.write('last\n');
  await eventually(() => expect(file.text).toMatch(/lost\nlast\n$/));
});
