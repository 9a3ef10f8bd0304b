import { CHANGES_PATH, type FolderChange } from '@satchel/contract/wire/folder-changes';
import { answerOf, type CreatedFolder, type Person } from './people.ts';

/** What the server tells the open pages of a folder, read as it comes. */
interface ChangeStream {
  /** The next word of it; waits for it. @throws when the stream ends first */
  next(): Promise<FolderChange>;
  close(): Promise<void>;
}

async function openChangeStream(person: Person, slug: string): Promise<ChangeStream> {
  const response = await person.call('POST', CHANGES_PATH, { slugs: [slug] }, { accept: 'text/event-stream' });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (response.status !== 200 || !reader) throw new Error(`the stream was refused: ${response.status}`);
  let unread = '';
  return {
    async next() {
      for (;;) {
        const end = unread.indexOf('\n\n');
        const event = unread.slice(0, Math.max(0, end));
        if (end >= 0) unread = unread.slice(end + 2);
        if (event.startsWith('data: ')) return JSON.parse(event.slice('data: '.length));
        if (end >= 0) continue;
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        unread += value;
      }
    },
    close: () => reader.cancel(),
  };
}

/** Renames a folder twice while a stream of its changes is open. @returns the versions that the stream gave */
export async function hearRenames(person: Person, { id, slug }: CreatedFolder): Promise<readonly (string | null)[]> {
  const stream = await openChangeStream(person, slug);
  const versions = [(await stream.next()).version];
  for (const new_name of ['Saturday', 'Sunday']) {
    await answerOf(await person.rpc('update_folder_settings', { folder_id: id, new_name }));
    versions.push((await stream.next()).version);
  }
  await stream.close();
  return versions;
}
