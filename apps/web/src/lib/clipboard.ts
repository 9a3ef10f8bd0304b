/** Copies through a temporary text field, for browsers or contexts without the clipboard (§2). */
function copyThroughField(text: string): boolean {
  const opener = document.activeElement;
  const field = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
  field.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0';
  // A dialog that traps focus would take it back at once from a field outside it.
  const host = opener?.closest('[role=dialog], [role=alertdialog]') ?? document.body;
  host.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (opener instanceof HTMLElement) opener.focus();
  return done;
}

/** Copies `text`; false when the browser allows neither way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughField(text);
  }
}
