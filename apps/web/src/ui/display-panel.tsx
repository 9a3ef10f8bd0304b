import { Trans, useLingui } from '@lingui/react/macro';
import { Check, Monitor, Moon, Sun } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { setTheme, useThemeChoice } from '../lib/base/theme.ts';
import { notify } from '../lib/base/toast.ts';
import { LANGUAGES, type Language, setLanguage, useLanguage } from '../lib/texts/language.ts';

interface OptionProps<Value extends string> {
  name: string;
  value: Value;
  chosen: Value;
  onChoose: (value: Value) => void;
  lang?: string;
  children: ReactNode;
}

function Option<Value extends string>({ name, value, chosen, onChoose, lang, children }: OptionProps<Value>) {
  return (
    <label
      lang={lang}
      className="option relative flex h-9 cursor-pointer items-center gap-2.5 rounded-control px-2.5 text-sm text-muted hover:bg-raised hover:text-ink has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-focus"
    >
      <input
        type="radio"
        name={name}
        value={value}
        checked={value === chosen}
        onChange={() => onChoose(value)}
        className="absolute inset-0 cursor-pointer appearance-none rounded-control opacity-0"
      />
      {children}
      {value === chosen && <Check size={16} className="ml-auto text-accent-text" aria-hidden />}
    </label>
  );
}

function ThemeOptions() {
  const { t } = useLingui();
  const name = useId();
  const chosen = useThemeChoice();
  const themes = [
    { value: 'dark', text: t`Dark`, Icon: Moon },
    { value: 'light', text: t`Light`, Icon: Sun },
    { value: 'system', text: t`As my device`, Icon: Monitor },
  ] as const;
  return (
    <fieldset>
      <legend className="px-2.5 pb-1 text-2xs text-subtle">
        <Trans>Theme</Trans>
      </legend>
      {themes.map(({ value, text, Icon }) => (
        <Option key={value} name={name} value={value} chosen={chosen} onChoose={setTheme}>
          <Icon size={16} strokeWidth={1.75} aria-hidden />
          {text}
        </Option>
      ))}
    </fieldset>
  );
}

function LanguageOptions() {
  const { t } = useLingui();
  const name = useId();
  const language = useLanguage();
  // The mark moves at once; the texts follow when they are there.
  const [asked, setAsked] = useState<Language | null>(null);
  const choose = (next: Language) => {
    setAsked(next);
    setLanguage(next)
      .catch(() => notify(t`The texts could not be loaded. Check your connection.`, 'error'))
      .finally(() => setAsked(null));
  };
  return (
    <fieldset>
      <legend className="px-2.5 pb-1 text-2xs text-subtle">
        <Trans>Language</Trans>
      </legend>
      {Object.entries(LANGUAGES).map(([value, own]) => (
        <Option
          key={value}
          name={name}
          lang={value}
          value={value as Language}
          chosen={asked ?? language}
          onChoose={choose}
        >
          {own}
        </Option>
      ))}
    </fieldset>
  );
}

export const DisplayPanel = () => (
  <div className="grid gap-3">
    <ThemeOptions />
    <LanguageOptions />
  </div>
);
