/** Words that are understood in every language, whatever the labels of the buttons are. */
export const CONTROL_WORDS = new Map<string, ControlWord>([
  ['confirm', 'confirm'],
  ['подтвердить', 'confirm'],
  ['yes', 'confirm'],
  ['да', 'confirm'],
  ['back', 'back'],
  ['назад', 'back'],
  ['cancel', 'cancel'],
  ['отмена', 'cancel'],
  ['stop', 'cancel'],
  ['стоп', 'cancel'],
]);

type ControlWord = 'confirm' | 'back' | 'cancel';

export function controlWordOf(text: string): ControlWord | undefined {
  return CONTROL_WORDS.get(normalizeLabel(text));
}

/** Normalizes a label to what a user would type: without price, capitals and signs at its ends. */
export function normalizeLabel(label: string): string {
  const [name = ''] = label.split(' · ');
  return name
    .toLowerCase()
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
}
