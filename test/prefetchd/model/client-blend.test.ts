import { ClientBlend } from '../../../prefetchd/model/client-blend.ts';
import { predictorContract } from '../../contracts/predictor.ts';

predictorContract('client-blend', (options) => new ClientBlend(options));
