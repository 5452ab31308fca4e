import { buildPrograms } from './bundle.ts';

await buildPrograms();
