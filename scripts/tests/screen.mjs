/**
 * What several programs print that run at the same time: the first one's as it comes, that of each other one once all
 * before it have ended, so that their lines don't mix.
 * @param {(text: string) => void} print
 */
export function createScreen(print) {
  const sections = [];

  function open() {
    const section = { text: '', hasEnded: false };
    sections.push(section);
    const isShown = () => sections[0] === section;
    const write = (text) => {
      if (isShown()) print(text);
      else section.text += text;
    };
    const end = () => {
      section.hasEnded = true;
      while (sections[0]?.hasEnded) {
        sections.shift();
        if (sections[0]?.text) print(sections[0].text);
      }
    };
    /** True where nothing has to be kept back: what runs may print by itself. */
    return { isShown, write, end };
  }

  return { open };
}
