import { Trans, useLingui } from '@lingui/react/macro';
import { Check, Monitor, Moon, Sun } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { LANGUAGES, type Language, setLanguage, useLanguage } from '../lib/language.ts';
import { setTheme, useTheme, useThemeChoice } from '../lib/theme.ts';
import { notify } from '../lib/toast.ts';
import { Button } from '../ui/button.tsx';

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
      className="option flex h-9 cursor-pointer items-center gap-2.5 rounded-control px-2.5 text-sm text-muted hover:bg-raised hover:text-ink has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-focus"
    >
      <input
        type="radio"
        name={name}
        value={value}
        checked={value === chosen}
        onChange={() => onChoose(value)}
        className="sr-only"
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
  const chosen = useLanguage();
  const choose = (language: Language) => {
    setLanguage(language).catch(() => notify(t`The texts could not be loaded. Check your connection.`, 'error'));
  };
  return (
    <fieldset>
      <legend className="px-2.5 pb-1 text-2xs text-subtle">
        <Trans>Language</Trans>
      </legend>
      {Object.entries(LANGUAGES).map(([value, own]) => (
        <Option key={value} name={name} lang={value} value={value as Language} chosen={chosen} onChoose={choose}>
          {own}
        </Option>
      ))}
    </fieldset>
  );
}

/** Theme and language, for everybody and on every page. The browser's own popover: Escape and a click outside close it. */
export function DisplayOptions() {
  const { t } = useLingui();
  const id = useId();
  const language = useLanguage();
  const Icon = useTheme() === 'dark' ? Moon : Sun;
  return (
    <>
      <Button
        tone="ghost"
        popoverTarget={id}
        title={t`Theme and language`}
        className="options-anchor gap-1.5 px-2.5 text-xs uppercase"
      >
        <Icon size={18} strokeWidth={1.75} aria-hidden />
        {language}
        <span className="sr-only">{t`Theme and language`}</span>
      </Button>
      <div id={id} popover="auto" className="anchored panel w-52 rounded-card bg-surface p-2 text-ink shadow-pop">
        <div className="grid gap-3">
          <ThemeOptions />
          <LanguageOptions />
        </div>
      </div>
    </>
  );
}
