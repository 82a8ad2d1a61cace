#ifndef TH_DIST_ALONE_H
#define TH_DIST_ALONE_H

#include "dist/transport.h"

namespace th::dist {

// The collectives of a group of one rank. The group is null.
const TransportTable& alone_table();

}  // namespace th::dist

#endif
