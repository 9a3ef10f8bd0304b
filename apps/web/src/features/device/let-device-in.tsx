import { Trans, useLingui } from '@lingui/react/macro';
import type { WaitingDevice } from '@satchel/contract/device';
import { DEVICE_PATHS, readUserCode } from '@satchel/contract/device-code';
import { toAppError } from '@satchel/contract/errors';
import { TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { loadSession } from '../../account/session/session.ts';
import { sendJson } from '../../lib/api/api.ts';
import { announce } from '../../lib/base/announce.ts';
import { cx } from '../../lib/base/class-names.ts';
import { useNow, useTitle } from '../../lib/browser/hooks.ts';
import { localTime, timeAgo } from '../../lib/figures/format.ts';
import { Button, LinkButton } from '../../ui/base/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { Failure } from '../../ui/sections/failure.tsx';
import { useAct } from '../../ui/sections/use-act.ts';
import type { SpotPose } from '../../ui/spot-drawing.tsx';
import { Banner } from '../../ui/states/banner.tsx';
import { Spot } from '../../ui/states/spot.tsx';
import { PageLoading } from '../../ui/states/states.tsx';

/** What a signed-in person sees on /device (RFC 8628 §3.3): type the code, look at what asks, allow or refuse it. */
type Step =
  | { readonly name: 'typing' }
  | { readonly name: 'asked'; readonly device: WaitingDevice }
  | { readonly name: 'over' }
  | { readonly name: 'answered'; readonly host: string; readonly isAllowed: boolean };

interface PanelProps {
  title: string;
  pose?: SpotPose;
  /** False where a field of the panel takes the focus. */
  takesFocus?: boolean;
  children: ReactNode;
}

/** One step. Its heading takes the focus, so that a screen reader says what has come. */
function Panel({ title, pose, takesFocus = true, children }: PanelProps) {
  useTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  return (
    <div className="wrap grid min-h-[calc(100dvh-12rem)] place-items-center py-12">
      <div className={cx('card w-full max-w-[480px] p-6 sm:p-8', pose && 'text-center')}>
        {pose && (
          <div className="mb-6 flex justify-center">
            <Spot pose={pose} />
          </div>
        )}
        <h1 ref={heading} tabIndex={-1} className="display text-2xl focus-visible:outline-none">
          {title}
        </h1>
        {children}
      </div>
    </div>
  );
}

function CodeForm({ typed, busy, failure, onCode, forgive }: CodeFormProps) {
  const { t } = useLingui();
  const [text, setText] = useState(typed);
  const field = useRef<HTMLInputElement>(null);
  const [isNone, setNone] = useState(false);
  const error = isNone ? t`A code has eight letters.` : failure;
  useEffect(() => {
    if (!busy) field.current?.focus();
  }, [busy]);
  useEffect(() => {
    if (error !== null) announce(error, true);
  }, [error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const code = readUserCode(text);
    setNone(code === null);
    if (code === null) field.current?.focus();
    else onCode(code);
  };
  return (
    <Panel title={t`Sign in a command line`} takesFocus={false}>
      <form noValidate className="mt-5 grid gap-5" onSubmit={submit}>
        <TextField
          ref={field}
          label={t`Code from your terminal`}
          hint={t`Eight letters, large or small, with or without the hyphen.`}
          error={error ?? undefined}
          name="code"
          value={text}
          maxLength={40}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          translate="no"
          onChange={(event) => {
            setText(event.target.value);
            setNone(false);
            forgive();
          }}
        />
        <Button type="submit" tone="primary" size="xl" busy={busy} aria-disabled={busy}>
          <Trans>Continue</Trans>
        </Button>
      </form>
      <p className="mt-5 border-t border-line pt-5 text-sm text-muted">
        <Trans>
          Did somebody send you a code, or ask you to type one here? Then close this page: you would let them into your
          account.
        </Trans>
      </p>
    </Panel>
  );
}

interface CodeFormProps {
  typed: string;
  busy: boolean;
  failure: string | null;
  onCode: (code: string) => void;
  forgive: () => void;
}

const Fact = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4">
    <dt className="shrink-0 text-muted">{name}</dt>
    <dd className="min-w-0 text-right wrap-anywhere">{children}</dd>
  </div>
);

interface QuestionProps {
  device: WaitingDevice;
  busy: boolean;
  failure: string | null;
  onAnswer: (isAllowed: boolean) => void;
}

/**
 * What asks. RFC 8628 §5.4: "it is RECOMMENDED to inform the user that they are authorizing a device […] and to confirm that
 * the device is in their possession"; §3.3.1: show the code, to be compared.
 */
function Question({ device, busy, failure, onAnswer }: QuestionProps) {
  const { t } = useLingui();
  const nowMs = useNow();
  const ago = timeAgo(device.created_at, nowMs);
  const at = localTime(device.created_at);
  return (
    <Panel title={t`Let this command line in?`}>
      <p className="mt-3 text-sm text-muted">
        <Trans>Your terminal shows this code. If it shows another one, refuse.</Trans>
      </p>
      <p className="mt-3 rounded-control bg-sunken py-4 text-center font-mono text-3xl tracking-wider" translate="no">
        {device.user_code}
      </p>
      <dl className="mt-5 grid gap-2.5 text-sm">
        <Fact name={<Trans>Program</Trans>}>
          <span translate="no">{device.client}</span>
        </Fact>
        <Fact name={<Trans>Computer</Trans>}>
          <span translate="no">{device.host}</span>
        </Fact>
        <Fact name={<Trans>Network</Trans>}>
          <span className="tabular" translate="no">
            {device.network}
          </span>
          <br />
          <span className="text-xs text-muted">
            {device.is_same_network ? <Trans>the same as yours</Trans> : <Trans>not the one that you use now</Trans>}
          </span>
        </Fact>
        <Fact name={<Trans>Asked</Trans>}>
          {ago}, <span className="tabular">{at}</span>
        </Fact>
      </dl>
      {!device.is_same_network && (
        <Banner tone="warning" className="mt-5" icon={<TriangleAlert size={18} aria-hidden className="text-warning" />}>
          <Trans>The request comes from another network than yours. Is it a computer of yours, somewhere else?</Trans>
        </Banner>
      )}
      <p className="mt-5 text-sm">
        <b className="font-semibold">
          <Trans>Allow it only if you have just started it yourself.</Trans>
        </b>{' '}
        <span className="text-muted">
          <Trans>
            The names of the program and the computer come from the command line itself. For 90 days it may create,
            change and delete your folders and files. It can’t see your sessions or your visitors, and can’t export or
            delete your account.
          </Trans>
        </span>
      </p>
      <Failure text={failure} className="mt-4" />
      <div className="mt-6 grid grid-cols-2 gap-3">
        <Button size="xl" aria-disabled={busy} onClick={() => !busy && onAnswer(false)}>
          <Trans>Refuse</Trans>
        </Button>
        <Button tone="primary" size="xl" aria-disabled={busy} onClick={() => !busy && onAnswer(true)}>
          <Trans>Allow</Trans>
        </Button>
      </div>
    </Panel>
  );
}

function Over({ onAgain }: { onAgain: () => void }) {
  const { t } = useLingui();
  return (
    <Panel pose="expired" title={t`This code is no longer valid`}>
      <p className="mt-3 text-sm text-muted">
        <Trans>
          A code is good for ten minutes and for one answer. Sign in again in your terminal, and type the new code.
        </Trans>
      </p>
      <Button tone="primary" size="lg" className="mt-6" onClick={onAgain}>
        <Trans>Type another code</Trans>
      </Button>
    </Panel>
  );
}

function Answered({ host, isAllowed }: { host: string; isAllowed: boolean }) {
  const { t } = useLingui();
  const where = (
    <span className="text-ink" translate="no">
      {host}
    </span>
  );
  return (
    <Panel pose={isAllowed ? 'closed' : 'locked'} title={isAllowed ? t`Allowed` : t`Refused`}>
      <p className="mt-3 text-sm text-muted">
        {isAllowed ? (
          <Trans>
            Go back to your terminal on {where}: it is signed in within seconds. You can close this page. To sign it
            out, see “Where you’re signed in” in your profile.
          </Trans>
        ) : (
          <Trans>
            The command line on {where} does not get into your account. If you did not start it, there is nothing else
            to do.
          </Trans>
        )}
      </p>
      <LinkButton to="/profile" size="lg" className="mt-6">
        <Trans>Go to your profile</Trans>
      </LinkButton>
    </Panel>
  );
}

/** Shown once a person's time to answer is over. */
function Asked(props: QuestionProps & { onAgain: () => void }) {
  const isOver = useNow() >= Date.parse(props.device.expires_at);
  return isOver ? <Over onAgain={props.onAgain} /> : <Question {...props} />;
}

/** @param code the one that the person came with: it is looked up at once */
export function LetDeviceIn({ code }: { code: string | null }) {
  const { t } = useLingui();
  const [step, setStep] = useState<Step>({ name: 'typing' });
  const [isArriving, setArriving] = useState(code !== null);
  const { busy, failure, run, forgive } = useAct();

  /** Runs a call; a session that has ended shows the sign-in, and a code that is over its own step. */
  const ask = (call: () => Promise<Step>, whenOver: Step | null) =>
    run(async () => {
      try {
        setStep(await call());
      } catch (cause) {
        const error = toAppError(cause);
        if (error.code === 'auth.required') await loadSession();
        if (error.code !== 'device.over' || whenOver === null) throw error;
        setStep(whenOver);
      }
    });

  const find = async (user_code: string) => {
    await ask(
      async () => ({ name: 'asked', device: await sendJson<WaitingDevice>('POST', DEVICE_PATHS.find, { user_code }) }),
      null,
    );
    setArriving(false);
  };
  const decide = ({ id, host }: WaitingDevice, is_allowed: boolean) =>
    ask(
      async () => {
        await sendJson('POST', DEVICE_PATHS.decide, { id, is_allowed });
        return { name: 'answered', host, isAllowed: is_allowed };
      },
      { name: 'over' },
    );
  const arrive = useEffectEvent(() => {
    if (code !== null) void find(code);
  });
  useEffect(() => arrive(), []);

  const again = () => setStep({ name: 'typing' });
  if (isArriving) return <PageLoading title={t`Looking for your command line...`} />;
  switch (step.name) {
    case 'typing':
      return (
        <CodeForm
          typed={failure === null ? '' : (code ?? '')}
          busy={busy}
          failure={failure}
          forgive={forgive}
          onCode={(typed) => void find(typed)}
        />
      );
    case 'asked':
      return (
        <Asked
          device={step.device}
          busy={busy}
          failure={failure}
          onAnswer={(isAllowed) => void decide(step.device, isAllowed)}
          onAgain={again}
        />
      );
    case 'over':
      return <Over onAgain={again} />;
    case 'answered':
      return <Answered host={step.host} isAllowed={step.isAllowed} />;
  }
}
