/** The lines that documentation gives people to copy. */

export interface FencedBlock {
  /** The heading that it is under. */
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** @returns the fenced blocks of a Markdown text, in their order; those of a list without its indent */
export function readFencedBlocks(markdown: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let heading = '';
  let open: { indent: string; language: string; lines: string[] } | null = null;
  for (const line of markdown.split('\n')) {
    const fence = /^( *)```(\w*)$/.exec(line);
    if (open && fence) {
      blocks.push({ heading, language: open.language, text: open.lines.join('\n') });
      open = null;
    } else if (open) open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    else if (fence) open = { indent: fence[1] ?? '', language: fence[2] ?? '', lines: [] };
    else heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
  }
  return blocks;
}

/** What a person puts in place of what a page has as an example. */
export type Changes = readonly (readonly [documented: string, here: string])[];

/**
 * @param has a text that only the wanted block has
 * @throws when there is no such block or more than one, or when it lacks what is to be changed
 */
export function takeBlock(blocks: readonly FencedBlock[], has: string, changes: Changes = []): string {
  const found = blocks.filter(({ text }) => text.includes(has));
  if (found.length !== 1) throw new Error(`${found.length} blocks of the documentation have "${has}", not one`);
  return changes.reduce((text, [documented, here]) => {
    if (!text.includes(documented)) throw new Error(`the block with "${has}" has no "${documented}"`);
    return text.replaceAll(documented, () => here);
  }, found[0]!.text);
}
