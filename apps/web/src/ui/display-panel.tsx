import { useLingui } from '@lingui/react/macro';
import { Check, Monitor, Moon, Sun } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { cx } from '../lib/base/class-names.ts';
import { setTheme, useThemeChoice } from '../lib/base/theme.ts';
import { notify } from '../lib/base/toast.ts';
import { LANGUAGES, type Language, setLanguage, useLanguage } from '../lib/texts/language.ts';

interface OptionsProps<Value extends string> {
  legend: ReactNode;
  options: readonly { readonly value: Value; readonly content: ReactNode; readonly lang?: string }[];
  chosen: Value;
  onChoose: (value: Value) => void;
}

function Options<Value extends string>({ legend, options, chosen, onChoose }: OptionsProps<Value>) {
  const name = useId();
  return (
    <fieldset>
      <legend className="px-2.5 pb-1 text-2xs text-subtle">{legend}</legend>
      {options.map(({ value, content, lang }) => (
        <label
          key={value}
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
          {content}
          {value === chosen && <Check size={16} className="ml-auto text-accent-text" aria-hidden />}
        </label>
      ))}
    </fieldset>
  );
}

function ThemeOptions() {
  const { t } = useLingui();
  const themes = [
    { value: 'dark', text: t`Dark`, Icon: Moon },
    { value: 'light', text: t`Light`, Icon: Sun },
    { value: 'system', text: t`As my device`, Icon: Monitor },
  ] as const;
  const options = themes.map(({ value, text, Icon }) => ({
    value,
    content: (
      <>
        <Icon size={16} strokeWidth={1.75} aria-hidden />
        {text}
      </>
    ),
  }));
  return <Options legend={t`Theme`} options={options} chosen={useThemeChoice()} onChoose={setTheme} />;
}

const LANGUAGE_OPTIONS = (Object.keys(LANGUAGES) as Language[]).map((value) => ({
  value,
  content: LANGUAGES[value],
  lang: value,
}));

function LanguageOptions() {
  const { t } = useLingui();
  const language = useLanguage();
  // The mark moves at once; the texts follow when they are there.
  const [asked, setAsked] = useState<Language | null>(null);
  const choose = (next: Language) => {
    setAsked(next);
    setLanguage(next)
      .catch(() => notify(() => t`The texts could not be loaded. Check your connection.`, 'error'))
      .finally(() => setAsked(null));
  };
  return <Options legend={t`Language`} options={LANGUAGE_OPTIONS} chosen={asked ?? language} onChoose={choose} />;
}

/** @param isWide side by side, where there is room */
export const DisplayPanel = ({ isWide = false }: { isWide?: boolean }) => (
  <div className={cx('grid gap-3', isWide && 'sm:grid-cols-2')}>
    <ThemeOptions />
    <LanguageOptions />
  </div>
);
