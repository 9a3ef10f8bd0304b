import { i18n } from '@lingui/core';

// Without a catalogue each text is the English one that stands in the code.
i18n.loadAndActivate({ locale: 'en', messages: {} });
