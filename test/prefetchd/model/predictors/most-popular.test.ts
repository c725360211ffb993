import { MostPopular } from '../../../../prefetchd/model/predictors/most-popular.ts';
import { predictorContract } from '../../../contracts/predictor.ts';

predictorContract('most-popular', (options) => new MostPopular(options));
