import { on } from '@ghasi/backbone/reaction';
import { PropertyCreated } from '@melmastoon/property-service/contract';
import { noteProperty } from './queries/themes.ts';

/** A new house can have a brand of its own. */
export const reactions = [on(PropertyCreated, (ctx, { propertyId }) => noteProperty(ctx, propertyId))];
