import { createHash } from 'node:crypto';

/** Satchel's colours (dark first), with Discord's blurple for the one act that Discord owns. */
export const pageStyle = `
:root {
  color-scheme: dark light;
  --canvas: oklch(0.165 0.011 290); --surface: oklch(0.205 0.013 290); --raised: oklch(0.25 0.015 290);
  --line: oklch(0.3 0.015 290); --edge: oklch(0.53 0.02 290);
  --ink: oklch(0.965 0.006 80); --muted: oklch(0.81 0.011 285);
  --accent-text: oklch(0.83 0.11 68); --accent-soft: oklch(0.285 0.042 60); --stitch: oklch(0.66 0.1 62);
  --discord: oklch(0.555 0.2 277); --discord-hover: oklch(0.5 0.19 277); --on-discord: oklch(0.99 0 0);
  --success: oklch(0.83 0.13 160); --focus: oklch(0.88 0.1 70);
}
@media (prefers-color-scheme: light) {
  :root {
    --canvas: oklch(0.972 0.007 80); --surface: oklch(0.997 0.003 80); --raised: oklch(0.955 0.009 78);
    --line: oklch(0.895 0.011 78); --edge: oklch(0.61 0.02 75);
    --ink: oklch(0.235 0.022 290); --muted: oklch(0.42 0.02 290);
    --accent-text: oklch(0.475 0.11 50); --accent-soft: oklch(0.935 0.04 72); --stitch: oklch(0.62 0.125 58);
    --success: oklch(0.46 0.105 160); --focus: oklch(0.47 0.16 277);
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; gap: 16px;
  padding: 24px 16px; background: var(--canvas); color: var(--ink);
  font: 14px/20px Geist, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
.notice {
  margin: 0; width: 100%; max-width: 460px; padding: 10px 14px; border: 1.5px dashed var(--stitch);
  border-radius: 10px; background: var(--accent-soft); color: var(--accent-text); font-weight: 600; text-align: center;
}
main {
  width: 100%; max-width: 460px; padding: 24px; border-radius: 20px; background: var(--surface);
  box-shadow: 0 0 0 1px var(--line), 0 12px 32px -8px rgb(0 0 0 / 0.35);
}
.mark { display: block; width: 64px; height: 64px; margin: 0 auto 12px; }
h1 { margin: 0; font-size: 22px; line-height: 28px; letter-spacing: -0.022em; text-align: center; }
h2, legend { margin: 0; padding: 0; font-size: 13px; line-height: 18px; font-weight: 600; color: var(--muted); }
.lead { margin: 4px 0 20px; color: var(--muted); text-align: center; }
fieldset { margin: 0 0 20px; padding: 0; border: 0; min-width: 0; }
.persona {
  display: flex; align-items: center; gap: 12px; margin-top: 8px; padding: 8px 12px; border: 1px solid var(--edge);
  border-radius: 10px; cursor: pointer;
}
.persona:hover { background: var(--raised); }
.persona:has(:checked) { border-color: var(--stitch); background: var(--raised); box-shadow: 0 0 0 1px var(--stitch); }
.persona:is(:focus-visible, :has(:focus-visible)) { outline: 2px solid var(--focus); outline-offset: 2px; }
.persona input { flex: none; width: 18px; height: 18px; margin: 0; accent-color: var(--discord); outline: none; }
.persona img { flex: none; border-radius: 50%; background: var(--raised); }
.persona span { min-width: 0; overflow-wrap: anywhere; }
.persona strong { display: block; font-weight: 600; }
.persona small { display: block; font-size: 13px; line-height: 18px; color: var(--muted); }
.people { margin: 0; padding: 0; list-style: none; }
a.persona { color: inherit; text-decoration: none; }
.scopes { margin: 8px 0 20px; padding: 0; list-style: none; }
.scopes li { display: flex; gap: 8px; padding: 2px 0; }
.scopes svg { flex: none; width: 18px; height: 18px; margin-top: 1px; fill: none; stroke-width: 1.75; stroke-linecap: round; }
.may svg { stroke: var(--success); }
.may-not svg { stroke: var(--muted); }
.may-not { color: var(--muted); }
button {
  display: block; width: 100%; height: 44px; border: 0; border-radius: 10px; font: inherit; font-weight: 600; cursor: pointer;
}
button + button { margin-top: 8px; }
.authorize { background: var(--discord); color: var(--on-discord); }
.authorize:hover { background: var(--discord-hover); }
.cancel { background: transparent; color: var(--ink); border: 1px solid var(--edge); }
.cancel:hover { background: var(--raised); }
:is(button, a):focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.fine { margin: 16px 0 0; font-size: 13px; line-height: 18px; color: var(--muted); overflow-wrap: anywhere; }
a { color: var(--accent-text); }
.go {
  display: block; height: 44px; border-radius: 10px; background: var(--discord); color: var(--on-discord); line-height: 44px;
  font-weight: 600; text-align: center; text-decoration: none;
}
.go:hover { background: var(--discord-hover); }
.go + .fine { margin: 8px 0 20px; text-align: center; }
code { font: 13px/18px 'Geist Mono', ui-monospace, monospace; overflow-wrap: anywhere; }
dt { margin-top: 10px; font-weight: 600; }
dd { margin: 0; color: var(--muted); overflow-wrap: anywhere; }
`;

export const pageStyleSource = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`;
