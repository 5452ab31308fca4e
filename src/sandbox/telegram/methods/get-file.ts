import { badRequest } from '../refusal.ts';
import { text } from './fields.ts';
import { method } from './method.ts';

export const getFile = method('getFile', { file_id: text.default('') }, ({ file_id }, { files }) => {
  const file = files.byId(file_id);
  if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
  const { fileId, uniqueId, bytes, path } = file;
  return { file_id: fileId, file_unique_id: uniqueId, file_size: bytes.length, file_path: path };
});
