import { rental, sandbox } from '../api.js';
import { element } from '../element.js';
import { onSubmit, pill, row, strong } from './card.js';
import { createCardList } from './card-list.js';

const KINDS = {
  latency: { words: 'Answers late', takes: 'ms' },
  'error-before': { words: 'Fails before doing it', takes: 'status' },
  'error-after': { words: 'Does it, then fails', takes: 'status' },
  'cut-before': { words: 'Connection cut before doing it' },
  'cut-after': { words: 'Does it, then the connection is cut' },
  'garbage-before': { words: 'Answers garbage, does nothing' },
  garbage: { words: 'Does it, answers garbage' },
  'rate-limit': { words: 'Too many requests (429)' },
  'hang-after': { words: 'Does it, never answers' },
};

/**
 * Creates the form that orders faults of the rental service, and the list of ordered faults.
 * @param {{ form: HTMLFormElement, list: HTMLUListElement, clear: HTMLButtonElement }} parts
 */
export function createFaults({ form, list, clear }, run) {
  const { endpoint, kind, times, ms, status } = form.elements;
  const option = (value, text) => element('option', { value, text });
  kind.append(...Object.entries(KINDS).map(([value, { words }]) => option(value, words)));

  const offer = async () => {
    if (endpoint.options.length > 0) return;
    const names = await sandbox.endpoints().catch(() => []);
    endpoint.replaceChildren(...names.map((name) => option(name, name)));
  };

  const showFields = () => {
    for (const field of form.querySelectorAll('[data-for]')) {
      field.hidden = field.dataset.for !== KINDS[kind.value].takes;
    }
  };
  kind.addEventListener('change', showFields);
  showFields();

  const wanted = () => {
    const { takes } = KINDS[kind.value];
    const detail = takes ? { [takes]: Number((takes === 'ms' ? ms : status).value) } : {};
    return { endpoint: endpoint.value, kind: kind.value, times: Number(times.value), ...detail };
  };
  onSubmit(form, () => run(() => rental.orderFault(wanted())));
  clear.addEventListener('click', () => run(rental.clearFaults));

  const draw = (fault) =>
    element(
      'li',
      { class: 'card' },
      row(strong(fault.endpoint), pill(`${fault.times} left`, 'open')),
      element('span', { text: KINDS[fault.kind]?.words ?? fault.kind }),
    );
  const cards = createCardList(list, { key: (fault) => fault.id, draw, none: 'No faults are ordered.' });

  return {
    show(faults) {
      offer();
      cards.show(faults);
      clear.hidden = faults.length === 0;
    },
  };
}
