import { useLingui } from '@lingui/react/macro';
import { ZOOM } from '@satchel/contract/limits';
import { Maximize, Minus, Plus } from 'lucide-react';
import type { RefObject } from 'react';
import { type ReactZoomPanPinchRef, TransformComponent, TransformWrapper } from 'react-zoom-pan-pinch';
import { useMedia } from '../../../lib/browser/hooks.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import type { MediaSize } from './viewer-view.ts';

/** Step of the zoom buttons and keys. */
const BUTTON_STEP = 0.5;

/** The zoom's keys: + and =, -, 0. */
export function zoomStep(zoom: ReactZoomPanPinchRef | null): Readonly<Record<string, () => void>> {
  if (!zoom) return {};
  const closer = () => zoom.zoomIn(BUTTON_STEP);
  return { '+': closer, '=': closer, '-': () => zoom.zoomOut(BUTTON_STEP), '0': () => zoom.resetTransform() };
}

/** What a double click does, about a point of the screen. */
export function toggleZoom(zoom: ReactZoomPanPinchRef | null, x: number, y: number): void {
  const wrapper = zoom?.instance.wrapperComponent;
  if (!zoom || !wrapper) return;
  if (zoom.instance.state.scale !== ZOOM.initial) {
    void zoom.resetTransform();
    return;
  }
  const { left, top } = wrapper.getBoundingClientRect();
  void zoom.setTransform(
    -ZOOM.doubleClickStep * (x - left),
    -ZOOM.doubleClickStep * (y - top),
    1 + ZOOM.doubleClickStep,
  );
}

interface ZoomControlsProps {
  scale: number;
  zoom: RefObject<ReactZoomPanPinchRef | null>;
}

export function ZoomControls({ scale, zoom }: ZoomControlsProps) {
  const { t } = useLingui();
  return (
    // biome-ignore lint/a11y/useSemanticElements: zoom buttons are no form fields
    <div role="group" aria-label={t`Zoom`} className="flex items-center rounded-control bg-raised">
      <IconButton label={t`Zoom out`} className="max-sm:size-10" onClick={() => zoom.current?.zoomOut(BUTTON_STEP)}>
        <Minus size={16} aria-hidden />
      </IconButton>
      <output aria-live="polite" className="w-11 text-center text-xs tabular">
        {Math.round(scale * 100)}%
      </output>
      <IconButton label={t`Zoom in`} className="max-sm:size-10" onClick={() => zoom.current?.zoomIn(BUTTON_STEP)}>
        <Plus size={16} aria-hidden />
      </IconButton>
      <IconButton label={t`Fit`} className="max-sm:size-10" onClick={() => zoom.current?.resetTransform()}>
        <Maximize size={15} aria-hidden />
      </IconButton>
    </div>
  );
}

/** The library's own CSS for these two classes, which the build removes (vite.config.ts). */
const WRAPPER = {
  position: 'relative',
  overflow: 'hidden',
  width: '100%',
  height: '100%',
  touchAction: 'none',
} as const;
const CONTENT = { transformOrigin: '0% 0%', width: '100%', height: '100%' } as const;

interface ZoomImageProps {
  src: string;
  name: string;
  zoom: RefObject<ReactZoomPanPinchRef | null>;
  onScale: (scale: number) => void;
  onSize: (size: MediaSize) => void;
  onError: () => void;
}

/** A picture with exactly the zoom that is specified. */
export function ZoomImage({ src, name, zoom, onScale, onSize, onError }: ZoomImageProps) {
  const still = useMedia('(prefers-reduced-motion: reduce)');
  return (
    <TransformWrapper
      ref={zoom}
      initialScale={ZOOM.initial}
      minScale={ZOOM.min}
      maxScale={ZOOM.max}
      centerOnInit
      // Smooth wheel steps depend on the wheel's speed; each is 0.2.
      smooth={false}
      wheel={{ step: ZOOM.wheelStep }}
      pinch={{ step: ZOOM.pinchStep }}
      doubleClick={{ mode: 'toggle', step: ZOOM.doubleClickStep, ...(still ? { animationTime: 0 } : {}) }}
      onTransform={(_, { scale }) => onScale(scale)}
    >
      <TransformComponent wrapperStyle={WRAPPER} contentStyle={CONTENT}>
        <img
          src={src}
          alt={name}
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => onSize([naturalWidth, naturalHeight])}
          onError={onError}
          className="pointer-events-none fitted"
        />
      </TransformComponent>
    </TransformWrapper>
  );
}
