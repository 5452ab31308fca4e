import { personName } from './people.js';

/** Maximum number of chats. With three, each would be narrower than a phone. */
const MOST = 2;
const NAMES = { panel: 'Rental service', only: 'Chat' };

/**
 * Creates the columns with the chats of one or two users, before the panel. The URL stores the user ids (`#503`, `#503,501`), so
 * that each tab keeps its own users.
 * @param {{ panel: HTMLElement, createView: (reader: object) => object, views: object }} page
 */
export function createColumns({ panel, createView, views }) {
  let columns = [];
  let people = [];
  let bot;

  const find = (id) => people.find((person) => String(person.id) === id);
  const shown = () => columns.map((view) => view.person());
  const fromAddress = () => {
    const named = [...new Set(location.hash.slice(1).split(',').map(find))].filter(Boolean).slice(0, MOST);
    return named.length > 0 ? named : people.slice(0, 1);
  };

  function addColumn() {
    const view = createView({
      choose: (id) => choose(view, find(id)),
      add,
      leave: () => leave(view),
      arrived: () => views.mark(view.root),
    });
    columns.push(view);
    panel.before(view.root);
    return view;
  }

  /** Shows another user in this view. If the user is already in the other view, the two swap. */
  function choose(view, person) {
    const old = view.person();
    take(shown().map((one) => (one === old ? person : one === person ? old : one)));
  }

  function add() {
    const here = shown();
    const next = people.find((person) => !here.includes(person));
    take([...here, next]);
    const view = columns.at(-1);
    views.show(view.root);
    view.focus();
  }

  function leave(view) {
    view.close();
    columns = columns.filter((one) => one !== view);
    take(shown());
    views.show(columns[0].root);
    columns[0].focus();
  }

  /** Shows these users and writes their ids to the URL. */
  function take(chosen) {
    history.replaceState(null, '', `#${chosen.map(({ id }) => id).join()}`);
    show(chosen);
  }

  function show(chosen) {
    while (columns.length > chosen.length) columns.pop().close();
    while (columns.length < chosen.length) addColumn().meet(people, bot);
    for (const [index, view] of columns.entries()) view.open(chosen[index], bot);
    arrange();
  }

  function arrange() {
    const isAlone = columns.length < 2;
    panel.parentElement.classList.toggle('beside', !isAlone);
    for (const view of columns) {
      view.beside({ canAdd: columns.length < Math.min(MOST, people.length), canLeave: !isAlone });
    }
    views.offer([
      ...columns.map((view) => ({
        root: view.root,
        name: isAlone ? NAMES.only : personName(view.person()),
      })),
      { root: panel, name: NAMES.panel },
    ]);
  }

  addColumn();
  arrange();
  return {
    online(yes) {
      for (const view of columns) view.online(yes);
    },
    /** Receives all invoices of the service, newest first. */
    invoices(all) {
      for (const view of columns) if (view.person()) view.invoices(all);
    },
    /** Opens the chats of the users in the URL. */
    begin(everybody, itsBot) {
      people = everybody;
      bot = itsBot;
      for (const view of columns) view.meet(people, bot);
      show(fromAddress());
      window.addEventListener('hashchange', () => show(fromAddress()));
    },
  };
}
