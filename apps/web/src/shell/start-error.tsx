import { askedLanguage } from '../lib/texts/language.ts';
import { Button } from '../ui/base/button.tsx';

/** Not in the catalogues, which could not be loaded. */
const TEXTS = {
  en: ['Satchel could not be loaded', 'Check your connection.', 'Try Again'],
  de: ['Satchel ließ sich nicht laden', 'Prüfe deine Verbindung.', 'Erneut versuchen'],
  fr: ['Satchel n’a pas pu être chargé', 'Vérifie ta connexion.', 'Réessayer'],
  es: ['No se ha podido cargar Satchel', 'Comprueba tu conexión.', 'Reintentar'],
} as const;

/** Shown when the texts of the site can't be loaded. */
export function StartError() {
  const language = askedLanguage();
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
