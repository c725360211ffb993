import { ClientBlend } from '../../../../prefetchd/model/predictors/client-blend.ts';
import { predictorContract } from '../../../contracts/predictor.ts';

predictorContract('client-blend', (options) => new ClientBlend(options));
