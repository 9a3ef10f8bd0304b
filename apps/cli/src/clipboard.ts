import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The system's own programs that put their input into the clipboard, in the order in which they are tried. */
function programsOf(env: NodeJS.ProcessEnv): readonly (readonly [name: string, ...args: string[]])[] {
  if (process.platform === 'darwin') return [['pbcopy']];
  if (process.platform === 'win32') return [['clip']];
  return [
    ...(env.WAYLAND_DISPLAY ? [['wl-copy'] as const] : []),
    ...(env.DISPLAY
      ? [['xclip', '-selection', 'clipboard'] as const, ['xsel', '--input', '--clipboard'] as const]
      : []),
  ];
}

/**
 * Puts a text into the clipboard. It goes by a pipe: other users of the machine can see arguments.
 * @returns false where there is no clipboard, or no program for it
 */
export async function copy(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  for (const [name, ...args] of programsOf(env)) {
    // What stays in the background to hand the text out must not hold our output open.
    const child = spawn(name, args, { env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
    const ended = await once(child, 'exit').catch(() => null);
    if (ended?.[0] === 0) return true;
  }
  return false;
}
