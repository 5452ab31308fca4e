import { element } from '/page/element.js';
import { fieldsOf } from './schema.js';

const part = (id) => document.getElementById(id);

function resolverOf(document_) {
  return (schema) => (schema.$ref ? document_.components.schemas[schema.$ref.split('/').at(-1)] : schema);
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
}

function section(title, ...content) {
  return element('div', {}, element('h4', { text: title }), ...content);
}

function card(operation, resolve) {
  const { method, path, summary, description, requestBody, responses } = operation;
  const { 200: done, ...refusals } = responses;
  const { schema } = done.content['application/json'];
  return element(
    'article',
    { class: 'card', id: operation.operationId },
    element('h3', { text: summary }),
    element(
      'p',
      { class: 'call' },
      element('span', { class: `method ${method}`, text: method.toUpperCase() }),
      element('code', { text: path }),
      element('span', { class: 'pill', text: `${operation['x-requests-per-minute']} a minute` }),
    ),
    description && element('p', { text: description }),
    requestBody && section('Body', fieldsOf(requestBody.content['application/json'].schema, resolve)),
    section(schema.type === 'array' ? 'Answer: an array of' : 'Answer', fieldsOf(schema, resolve)),
    element(
      'details',
      {},
      element('summary', { text: 'Refusals' }),
      ...Object.entries(refusals).map(([status, { description: why }]) =>
        element('p', { class: 'quiet', text: `${status} — ${why.replaceAll('`', '')}` }),
      ),
    ),
  );
}

function event(name, { summary, requestBody }, resolve) {
  const { data } = requestBody.content['application/json'].schema.properties;
  return element(
    'section',
    { class: 'card', 'aria-label': name },
    element('h3', { text: name }),
    element('p', { text: summary }),
    section('data', fieldsOf(data, resolve)),
  );
}

function draw(document_) {
  const resolve = resolverOf(document_);
  const operations = operationsOf(document_);
  part('title').textContent = document_.info.title;
  part('about').textContent =
    `Version ${document_.info.version}. Every request carries X-API-Key, every response X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset.`;
  part('operations').replaceChildren();
  for (const { name } of document_.tags) {
    const own = operations.filter(({ tags }) => tags.includes(name));
    if (own.length === 0) continue;
    part('contents').append(
      element('h2', { text: name }),
      ...own.map(({ operationId, summary }) => element('a', { href: `#${operationId}`, text: summary })),
    );
    part('operations').append(element('h2', { text: name }), ...own.map((one) => card(one, resolve)));
  }
  part('operations').append(
    element('h2', { text: 'Events' }),
    ...Object.entries(document_.webhooks).map(([name, { post }]) => event(name, post, resolve)),
  );
  const target = location.hash && part(location.hash.slice(1));
  if (target) target.scrollIntoView();
}

async function start() {
  try {
    const response = await fetch('/api/openapi.json');
    draw(await response.json());
  } catch {
    part('operations').replaceChildren(element('p', { text: 'The document can’t be read.' }));
  }
}

start();
