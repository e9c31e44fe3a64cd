// Robot descriptions (URDF) become mechanisms in the language.
//
//     urdf_read.c    XML -> links and joints        urdf_write.c   links and joints -> text
//     urdf_tree.c    names, tree, what has mass
//
// The text is what `bondyn import urdf` writes, and what `mechanism X from "x.urdf"` stands for.
#ifndef BONDYN_IMPORT_URDF_H
#define BONDYN_IMPORT_URDF_H

#include "base/report.h"

typedef struct {
    const char *name; // of the mechanism; NULL: the robot's
    bool free;        // the root link moves freely; else it is fixed to the world
    bool rounded;     // 1.5708 is 90 degrees, and so are other rounded multiples of 15 degrees
    bool meshes;      // warn of meshes that are not there
} UrdfOptions;

// The text of a mechanism from the URDF in `source`. False: reported, and nothing is written.
bool urdf_import(Text *out, const Sources *sources, uint32_t source, const UrdfOptions *options,
                 Report *r);

#endif
