const END_LENGTH = 9;

/**
 * A file's name in a row. On a phone a long one is cut before its end, for its end tells it from the others and says what it
 * is. On wider screens the name is one text, which a search of the page finds whole.
 */
export function CutName({ name }: { name: string }) {
  const letters = [...name];
  const at = letters.length > 2 * END_LENGTH ? letters.length - END_LENGTH : letters.length;
  return (
    <span className="flex min-w-0 sm:block sm:truncate">
      <span className="min-w-0 truncate whitespace-pre sm:inline">{letters.slice(0, at).join('')}</span>
      <span className="shrink-0 whitespace-pre">{letters.slice(at).join('')}</span>
    </span>
  );
}
