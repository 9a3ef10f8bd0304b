import { Button } from '../ui/base/button.tsx';

/** Not in the catalogues, which could not be loaded. */
const TEXTS = {
  en: ['Satchel could not be loaded', 'Check your connection. Your files are not affected.', 'Try Again'],
  de: [
    'Satchel ließ sich nicht laden',
    'Prüfe deine Verbindung. Deinen Dateien ist nichts geschehen.',
    'Erneut versuchen',
  ],
} as const;

/** Shown when the texts of the site can't be loaded. */
export function StartError() {
  const language = document.documentElement.lang === 'de' || navigator.language.startsWith('de') ? 'de' : 'en';
  const [title, text, again] = TEXTS[language];
  return (
    <main lang={language} className="wrap grid min-h-dvh place-content-center text-center">
      <h1 className="display text-2xl">{title}</h1>
      <p role="alert" className="mt-3 mb-8 text-sm text-muted">
        {text}
      </p>
      <Button tone="primary" size="lg" onClick={() => location.reload()}>
        {again}
      </Button>
    </main>
  );
}
