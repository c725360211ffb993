// Parameters that links carry to count where visitors come from: of campaigns, advertisers, newsletters and analytics.
// They do not choose the page, so pages are one node with and without them. Names in any case. Only names that no site
// uses for anything else: dropping one that chooses the page would make two pages one.

const prefixes = /^(?:utm|hsa|mtm|piwik|matomo|oly|vero|_bta)_/;

const names = new Set(
  `gclid gclsrc gbraid wbraid dclid gad_source gad_campaignid srsltid _ga _gl _gac _gid
   fbclid fb_action_ids fb_action_types fb_ref fb_source igshid igsh mibextid
   msclkid twclid ttclid li_fat_id epik rdt_cid sccid irclickid irgwc cjevent ranmid raneaid ransiteid
   yclid ysclid ymclid _openstat pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid
   itm_source itm_medium itm_campaign itm_content itm_term at_medium at_campaign
   mc_cid mc_eid mkt_tok _hsenc _hsmi __hssc __hstc __hsfp hsctatracking _kx dm_i ml_subscriber ml_subscriber_hash
   rb_clickid wickedid s_cid s_kwcid wt_mc wt.mc_id ef_id
   ref_src ref_url __s guccounter guce_referrer guce_referrer_sig wprov sfnsn spm _branch_match_id
   _branch_referrer`.split(/\s+/),
);

/** @param name decoded */
export function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return names.has(lower) || prefixes.test(lower);
}
